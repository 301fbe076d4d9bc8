import { chmodSync, chownSync } from 'node:fs';

/**
 * Runs `work` as somebody who is not root, which nothing is refused to; `folders` are made that user's. Only to be used where no
 * other test runs in this process meanwhile.
 */
export async function asSomebody<Result>(folders: readonly string[], work: (userId: number) => Promise<Result>): Promise<Result> {
  const own = process.getuid?.() ?? 0;
  if (own !== 0 || !process.seteuid) return await work(own);
  const userId = 54_321;
  for (const folder of folders) {
    chownSync(folder, userId, userId);
    chmodSync(folder, 0o700);
  }
  process.seteuid(userId);
  try {
    return await work(userId);
  } finally {
    process.seteuid(0);
  }
}
