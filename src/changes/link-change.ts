import type { Session } from '../cli/session.ts';
import { refuseRunFlags } from '../flags/bulk-flags.ts';
import type { NamedSelection } from '../flags/selection-flags.ts';
import type { Report } from '../output/report.ts';
import { changeNamed, type NamedChange } from './named-change.ts';
import { changeByTags, type TagChange } from './tag-change.ts';

/** One change of links that exist, however they are selected. */
interface LinkChange extends Omit<NamedChange, 'selection'>, Omit<TagChange, 'expression'> {
  readonly selection: NamedSelection;
  /** The flags that begin a run, for the message that refuses flags of runs beside `--by-tags`. */
  readonly files?: string;
}

export async function changeLinks(
  { selection, files = '--hashes-from', ...change }: LinkChange,
  session: Session,
): Promise<Report> {
  if (selection.kind !== 'tags') return await changeNamed({ ...change, selection }, session);
  refuseRunFlags(change.options, '--by-tags', files);
  return await changeByTags({ ...change, expression: selection.expression }, session);
}
