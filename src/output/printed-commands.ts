import { shellWord } from '../base/shell-word.ts';

interface TypedAccount {
  readonly profile?: string | undefined;
  readonly domain?: string | undefined;
}

/** Commands without an account, or that name their profile. */
const others: ReadonlySet<string> = new Set(['auth', 'completion', 'help', 'serve', 'version']);

/** A printed command follows a colon or one of these words, and ends with its clause. A sentence or a path with the name is none. */
const [start, rest] = ['(?<=^|: |\\b(?:use|with|repeat) )linkctl ', '[^;,]*'];
export const printedCommand: RegExp = new RegExp(`${start}${rest}`, 'g');
const commandOfVerb = new RegExp(`${start}([a-z]+)(?= |[;,]|$)(${rest})`, 'g');

/** Repeats `--profile` and, for `list`, `--domain` in printed commands, which would otherwise be about another account when pasted. */
export function withTypedAccount(text: string, { profile, domain }: TypedAccount): string {
  return text.replace(commandOfVerb, (command, name: string, more: string) => {
    if (others.has(name) || / --help\b/.test(more)) return command;
    const words = ['linkctl', name];
    if (profile !== undefined && !/ (?:-p|--profile) /.test(more)) words.splice(1, 0, '-p', shellWord(profile));
    if (domain !== undefined && name === 'list' && !/ --domain /.test(more)) words.push('--domain', shellWord(domain));
    return words.join(' ') + more;
  });
}
