import { writeFileSync } from 'node:fs';
import { checksum } from '../../base/checksum.ts';
import type { RunInput } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import { linkText } from '../../contract/link.ts';
import { type BulkOptions, refuseRowFlags, refuseRunFlags } from '../../flags/bulk-flags.ts';
import { resolveOperands } from '../../input/domain-resolver.ts';
import { quantity } from '../../output/quantity.ts';
import type { NamedChange } from '../change.ts';
import { refuseTooMany } from '../limits.ts';

/** Named links, and the command as shown in messages. */
type NamedInput = Pick<NamedChange, 'what' | 'input' | 'domains' | 'fromArguments'>;

interface Named {
  /** For the list of runs: `edit`. */
  readonly name: string;
  readonly options: BulkOptions;
  /** Everything besides the links that determines the change. */
  readonly given: object;
}

/** Reads the links that operands name. */
export async function operandRows(
  operands: readonly string[],
  { name, options, given }: Named,
  session: Session,
): Promise<NamedInput> {
  refuseRunFlags(options, '<hash>...', '--hashes-from');
  const { targets, domains } = await resolveOperands(operands, session, 'typed change');
  refuseTooMany(targets.length, session);
  const [first] = targets;
  const what = `${name} ${first && targets.length === 1 ? linkText(first) : quantity(targets.length, 'link')}`;
  return { what, input: typedInput(targets, what, given), domains, fromArguments: true };
}

/** Reads the links that a file of hashes names. */
export async function hashRows(path: string, { name, options }: Omit<Named, 'given'>, session: Session): Promise<NamedInput> {
  refuseRowFlags(options, '--hashes-from');
  const source = await session.openInput(path, 'hashes');
  const { checkHashFile } = await import('../../input/hash-file.ts');
  const { rows, domains, open } = await checkHashFile(source, session, 'listed change');
  refuseTooMany(rows, session);
  const { name: file, changeError, copyTo } = source;
  const input = { rows, open, name: file, sha256: source.sha256(), changeError, copyTo };
  return { what: `${name} --hashes-from ${path}`, input, domains };
}

/** Makes an input of typed rows, which are held in memory and stored with the run. */
export function typedInput<Item extends object>(items: readonly Item[], name: string, given?: object): RunInput<Item> {
  const json = JSON.stringify(items);
  const rows = items.map((item, nth) => ({ line: nth + 1, item }));
  return {
    name,
    // A different change of the same links is a different run.
    sha256: checksum(given ? JSON.stringify([json, given]) : json),
    rows: rows.length,
    open: () => [rows],
    copyTo: async (path) => writeFileSync(path, json, { flag: 'wx', mode: 0o600, flush: true }),
  };
}
