import { UsageError } from '../base/errors.ts';
import type { Column } from './report.ts';

/** The columns of these names, in this order. An unknown name is told with all that are known (B18). */
export function chooseColumns(columns: readonly Column[], names: readonly string[]): Column[] {
  return names.map((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column) return column;
    const known = [...new Set(columns.map((candidate) => candidate.name))].sort();
    throw new UsageError(`--fields: unknown field "${name}"`, { details: [`fields: ${known.join(', ')}`] });
  });
}
