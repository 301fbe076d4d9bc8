import { editions } from '../../contract/editions.ts';
import { canSettle, hasOwnHashes, mayHaveChanged, type RunState, untraceableRows } from '../journal/journal-state.ts';
import type { BeginLine, RunIdentity } from '../journal/lines.ts';
import { countsOf, isRevertible, type RunOverview } from '../runs.ts';

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

/** Says how to start anew. If the record of a run that changed something is deleted, the same rows are sent twice, so undo comes first. */
export function discardText(state: RunState): string {
  const { begin } = state;
  // Without a terminal, the command refuses to run without this flag.
  const forget = `linkctl runs forget ${begin.run} --yes`;
  if (!mayHaveChanged(state) || !isRevertible(begin)) return `to discard the run: ${forget}`;
  // Its command only resumes it with the same rows and flags.
  const isRefused = canSettle(state) && untraceableRows(state).length > 0;
  const settled = isRefused ? ', after its command has settled its unknown rows' : '';
  const consequence = secondLinksText({ begin, counts: countsOf(state) }) ?? 'keep its changes';
  return `to undo the run${settled}: linkctl undo ${begin.run}; to forget it and ${consequence}: ${forget}`;
}

/** Says for how many rows the same command would make second links without the record of the run; undefined if for none. */
export function secondLinksText({
  begin,
  counts,
  undoneBy,
}: Pick<RunOverview, 'begin' | 'counts' | 'undoneBy'>): string | undefined {
  const { created = 0, unknown = 0 } = counts;
  if (!begin || !makesSecondLinks(begin) || created + unknown === 0) return undefined;
  // A row in doubt may have no link, nor one whose run was undone.
  const bound = unknown > 0 || undoneBy !== undefined ? 'up to ' : '';
  return `make second links for ${bound}${created + unknown} of its rows`;
}
