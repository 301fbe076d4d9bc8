/**
 * Milliseconds that an API call waits for earlier clicks, so that its response includes them, and for a lock of another program. It may wait
 * for a lock twice, the first time behind another call that waits for it: together less than 5 s.
 */
export const settleTime = 500;
export const lockTime = 1900;

/** Resolves to `otherwise` after the timeout, while the work continues. */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, milliseconds, otherwise);
  });
  // Its caller reports a later failure.
  work.catch(() => {});
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
