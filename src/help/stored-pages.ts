import { orElse } from '../base/errors.ts';
import { ownFile } from './program-file.ts';

/** Stands before each page; the line after it has the words that ask for the page. */
const mark = '\f';

/** The pages of help as the build stores them, so that printing one needs nothing but this file. */
export function storedPages(pages: ReadonlyMap<string, string>): string {
  return [...pages].map(([words, page]) => `${mark}${words}\n${page}`).join('');
}

/** Returns the page that the words ask for. Undefined if they name neither a command nor a topic, and in a checkout without a build. */
export function storedPage(words: readonly string[]): string | undefined {
  if (words.some((word) => /\s/.test(word))) return undefined;
  const pages = orElse(() => ownFile('pages.txt'), '');
  const before = `${mark}${words.join(' ')}\n`;
  const start = pages.indexOf(before);
  if (start < 0) return undefined;
  const end = pages.indexOf(mark, start + 1);
  return pages.slice(start + before.length, end < 0 ? undefined : end);
}
