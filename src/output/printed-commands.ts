import { shellWord } from '../base/shell-word.ts';

interface TypedAccount {
  readonly profile?: string | undefined;
  readonly domain?: string | undefined;
}

/** Commands without an account, or that name their profile. */
const others: ReadonlySet<string> = new Set(['auth', 'completion', 'help', 'serve', 'version']);

/** Repeats `--profile` and, for `list`, `--domain` in printed commands, which would otherwise be about another account when pasted. */
export function withTypedAccount(text: string, { profile, domain }: TypedAccount): string {
  return text.replace(/\blinkctl ([a-z]+)([^;,]*)/g, (command, name: string, rest: string) => {
    if (others.has(name) || / --help\b/.test(rest)) return command;
    const words = ['linkctl', name];
    if (profile !== undefined && !/ (?:-p|--profile) /.test(rest)) words.splice(1, 0, '-p', shellWord(profile));
    if (domain !== undefined && name === 'list' && !/ --domain /.test(rest)) words.push('--domain', shellWord(domain));
    return words.join(' ') + rest;
  });
}
