import { UsageError } from '../base/errors.ts';
import type { InputStream } from '../base/system.ts';

/** All of stdin as text, where a command was told to read it (B39). `most` is in bytes. */
export async function readText(stdin: InputStream, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > most) throw new UsageError(`stdin: longer than ${most} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}
