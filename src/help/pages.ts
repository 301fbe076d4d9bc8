import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text that a line asks for, where it was printed to a file when the program was made (`bin/bundle.mjs`) and nothing else stands on
 * the line. For everything else, and where there are no such files, the command tree answers, with the same text.
 */
export function storedPage(argv: readonly string[]): string | undefined {
  const name = pageName(argv);
  if (name === undefined) return undefined;
  try {
    return readFileSync(join(import.meta.dirname, 'pages', `${name}.txt`), 'utf8');
  } catch {
    return undefined;
  }
}

/** The name of the file: `version`, `help`, `help tags add`. */
export function pageName(argv: readonly string[]): string | undefined {
  const [first = 'help'] = argv;
  const last = argv.at(-1);
  if (argv.length <= 1 && (first === '--version' || first === '-V')) return 'version';
  if (last === '--help' || last === '-h') return nameOf(['help', ...argv.slice(0, -1)]);
  return first === 'help' ? nameOf([first, ...argv.slice(1)]) : undefined;
}

function nameOf(words: readonly string[]): string | undefined {
  return words.every((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-')) ? words.join(' ') : undefined;
}
