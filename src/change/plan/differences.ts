import { linkText } from '../../contract/link.ts';
import type { Row } from '../../output/report.ts';
import type { FileLink } from '../decide/apply.ts';
import { fieldChanges } from '../decide/edit.ts';
import type { ComparedLink } from '../decide/sides.ts';
import { type PlannedOutcome, signs } from './outcome.ts';

/** A row for each difference of a link between a file and the account. */
export function differencesOf({ target, record, item }: ComparedLink<FileLink>, outcome: PlannedOutcome): Row[] {
  const short_url = target.domain === undefined ? record?.short_url : linkText(target);
  const name = { sign: signs[outcome.kind], hash: target.hash, short_url };
  switch (outcome.kind) {
    case 'create':
      return [{ ...name, after: item?.long_url }];
    case 'delete':
      return [{ ...name, before: record?.long_url }];
    case 'refused':
    case 'change':
      return fieldChanges(outcome.fields ?? {}, record ?? {}).map(({ field, before, after }) => ({
        ...name,
        field,
        before,
        // What is sent of tags are instructions.
        after: field === 'tags' ? item?.tags : after,
      }));
    default:
      return [];
  }
}
