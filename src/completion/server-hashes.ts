import type { OutputStream, System } from '../base/system.ts';
import type { TypedLine } from '../help/typed-line.ts';

export interface Candidate {
  /** The complete word, such as `--output=json`. */
  readonly word: string;
  readonly meaning?: string | undefined;
}

/** Runs a command line of this program and returns its exit code. */
export type Main = (argv: readonly string[], system: System) => Promise<number>;

const mostHashes = 20;

/** A key press must not wait for long. */
const limits = ['--limit', String(mostHashes), '--max-time', '0.8', '--retries', '0', '--max-wait', '0'];

/** Lists the hashes that begin so, with their destinations, by `linkctl list`. Empty if that fails, and its messages are for nobody. */
export async function serverHashes(beginning: string, line: TypedLine, system: System, main: Main): Promise<Candidate[]> {
  const search = beginning === '' ? [] : ['--search', beginning];
  let printed = '';
  const quiet: System = Object.create(system, {
    stdout: { value: streamTo((text) => (printed += text)) },
    stderr: { value: streamTo(() => undefined) },
    onCrash: { value: () => undefined },
  });
  const argv = ['list', ...search, ...limits, '-qo', 'tsv', '--fields', 'hash,long_url', ...accountFlags(line)];
  if ((await main(argv, quiet)) !== 0) return [];
  const rows = printed.trimEnd().split('\n');
  const found = rows.flatMap((row) => {
    const [word = '', meaning] = row.split('\t');
    return word !== '' && word.startsWith(beginning) ? [{ word, meaning }] : [];
  });
  if (rows.length < mostHashes || !isExtended(beginning, found)) return found;
  // The hashes that were not listed may begin in another way. Among candidates, the typed word itself keeps the shell from typing more.
  return beginning === '' ? [] : [{ word: beginning }, ...found];
}

/** A shell types what all candidates have in common. */
function isExtended(beginning: string, [first, ...others]: readonly Candidate[]): boolean {
  const next = first?.word.slice(0, beginning.length + 1) ?? '';
  return next.length > beginning.length && others.every(({ word }) => word.startsWith(next));
}

/** Flags that say which account and domain the hashes are of. */
const ofAccount = ['profile', 'domain', 'baseUrl', 'edition', 'username', 'apiKeyFile', 'insecureHttp', 'caFile'];

function accountFlags({ path: [root], given }: TypedLine): string[] {
  return (root?.flags ?? [])
    .filter(({ name }) => given.has(name) && ofAccount.includes(name))
    .map(({ long, name, value }) => (value === undefined ? `${long}` : `${long}=${given.get(name)}`));
}

function streamTo(take: (text: string) => unknown): OutputStream {
  const write = (text: string, done?: () => void): void => {
    take(text);
    done?.();
  };
  return { write, on: () => undefined, off: () => undefined };
}
