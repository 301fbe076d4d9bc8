import { editions } from '../../contract/editions.ts';
import { hasOwnHashes } from '../journal/journal-state.ts';
import type { BeginLine, RunIdentity } from '../journal/lines.ts';

type Command = Pick<RunIdentity, 'operation' | 'mode' | 'options'>;

/** Returns true if links that rows already have are neither found again nor in the way of new ones. */
export function makesSecondLinks(command: Command): boolean {
  return command.operation === 'shorten' && command.mode !== 'dedupe' && !hasOwnHashes(command);
}

/** Says how to run a command that is refused because of an earlier run: first of all, without second links for rows that have some. */
export function waysText(command: Command, begin: BeginLine, flags?: string): string {
  return makesSecondLinks(command)
    ? `${keepText(command, begin, flags)}; to make second ones, add --again`
    : 'to run it again, add --again';
}

/** Says how a file is shortened without second links for rows that have some. */
export function keepText({ options }: Pick<Command, 'options'>, { edition }: BeginLine, flags = '--dedupe'): string {
  const without = options.generateHashes ? ' instead of --generate-hashes' : '';
  // With account, the server would also return links of other domains (4.3.3).
  const scope = editions[edition].severalDomains ? 'domain' : 'account';
  return `to keep the links of rows that have some, add ${flags} ${scope}${without}`;
}
