import { didYouMean, meantName } from '../base/near-names.ts';
import { type Column, namesOf, unknownField } from '../output/report.ts';

/** Throws a UsageError for the first name that no column has, and suggests the one that is probably meant. */
export function assertFields(columns: readonly Column[], names: readonly string[]): void {
  const known = namesOf(columns);
  const name = names.find((each) => !known.includes(each));
  if (name === undefined) return;
  if (name === '') throw unknownField('a name is missing: separate names by commas, and quote a list with spaces', columns);
  // The header of a table has other names.
  const titled = columns.find(({ title }) => title === name.toUpperCase())?.name;
  throw unknownField(`unknown field "${name}"${didYouMean(titled ?? meantName(name, known))}`, columns);
}
