import type { Session } from '../../cli/session.ts';
import { type BulkOptions, refuseRowFlags } from '../../flags/bulk-flags.ts';
import { checkHashFile } from '../../input/hash-file.ts';
import { refuseTooMany } from '../limits.ts';
import type { NamedRows } from './operands.ts';

/** The links that a file of hashes names. */
export async function hashRows(
  path: string,
  { name, options }: { readonly name: string; readonly options: BulkOptions },
  session: Session,
): Promise<NamedRows> {
  refuseRowFlags(options, '--hashes-from');
  const source = await session.openInput(path, 'hashes');
  const { rows, domains, open } = await checkHashFile(source, session, 'listed change');
  refuseTooMany(rows, session);
  const { name: file, change, copyTo } = source;
  return {
    what: `${name} --hashes-from ${path}`,
    input: { rows, open, name: file, sha256: source.sha256(), change, copyTo },
    domains,
  };
}
