import { shellWord } from '../base/quoted.ts';

interface TypedAccount {
  readonly profile?: string | undefined;
  readonly edition?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly username?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly domain?: string | undefined;
}

/** Commands without an account, or that name their profile. */
const others = /^linkctl (?:auth (?:list|switch)|completion|help|serve|version)\b| --help\b/;

/** A printed command follows a colon or one of these words, and ends with its clause. A sentence, a path or a usage line with the name is none. */
const [start, rest] = ['(?<=^|(?<!usage): |\\b(?:use|with|repeat) )linkctl ', "(?:'[^']*'|[^;,])*"];
export const printedCommand = `${start}${rest}`;

/**
 * Repeats the flags of the account and, for `list`, `--domain` in printed commands, which would otherwise be about another account when
 * pasted.
 */
export function withTypedAccount(text: string, { domain, ...account }: TypedAccount): string {
  const commandOfVerb = new RegExp(`${start}((?:auth )?[a-z]+)(?= |[;,]|$)(${rest})`, 'g');
  return text.replace(commandOfVerb, (command, name: string, more: string) => {
    if (others.test(command)) return command;
    const flags = / (?:-p|--profile) /.test(more) ? [] : accountFlags(account, name, more);
    const words = ['linkctl', ...flags, name];
    if (domain !== undefined && name === 'list' && !/ --domain /.test(more)) words.push('--domain', shellWord(domain));
    return words.join(' ') + more;
  });
}

function accountFlags({ profile, edition, baseUrl, username, apiKeyFile }: TypedAccount, name: string, more: string): string[] {
  const flags = {
    // A login names the profile to store, too; no other command takes both.
    '-p': name === 'auth login' || (username ?? apiKeyFile) === undefined ? profile : undefined,
    '--base-url': more.includes(' --base-url ') ? undefined : baseUrl,
    '--username': username,
    '--api-key-file': apiKeyFile,
    '--edition': edition,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, shellWord(value)]));
}
