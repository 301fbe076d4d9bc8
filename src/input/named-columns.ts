import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import type { Edition } from '../contract/editions.ts';
import { splitList } from '../contract/tag-label.ts';
import type { Target } from './field-values.ts';
import { folded } from './fields/aliases.ts';
import type { NamedColumns } from './fields/columns.ts';
import { knownMembers } from './fields/members.ts';
import type { InputUse } from './format.ts';

/**
 * Parses `--columns 'long_url=Landing page,custom_hash=Code'`. A pair that contains a comma is put in double quotes. Throws a UsageError.
 */
export function readNamedColumns(text: string, use: InputUse, edition: Edition): NamedColumns {
  const known = knownMembers(use, edition);
  const columns = new Map<string, { header: string; target: Target }>();
  const targets = new Set<Target>();
  for (const pair of splitList(text) ?? []) {
    const [, field = '', header = ''] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
    if (header === '') throw new UsageError(`--columns: expected field=header, got ${quoted(pair)}`);
    const target = known.get(field.trim().toLowerCase())?.target;
    if (target === undefined) {
      const names = [...known.values()].filter((member) => member.target).map(({ name }) => name);
      throw new UsageError(`--columns: unknown field ${quoted(field.trim())}; expected one of ${names.join(', ')}`);
    }
    if (targets.has(target)) throw new UsageError(`--columns: ${target} is given twice`);
    if (columns.has(folded(header))) throw new UsageError(`--columns: column ${quoted(header.trim())} is given twice`);
    targets.add(target);
    columns.set(folded(header), { header: header.trim(), target });
  }
  if (columns.size === 0) throw new UsageError(`--columns: expected field=header, got ${quoted(text)}`);
  return columns;
}
