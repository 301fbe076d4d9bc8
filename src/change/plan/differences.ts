import { safe } from '../../base/safe-text.ts';
import type { Session } from '../../cli/session.ts';
import { linkText } from '../../contract/link.ts';
import { joinList } from '../../contract/tag-label.ts';
import { labelsAfter } from '../../link/tag-instructions.ts';
import { grouped } from '../../output/quantity.ts';
import type { Row } from '../../output/report.ts';
import type { FileLink } from '../decide/apply.ts';
import { type ComparedLink, fieldChanges, type PlannedLink } from '../decide/outcome.ts';
import { ChangePlan, type DecidableLinks, decidedPages, type PlanVerb, signs } from './plan.ts';
import { summaryLines } from './text.ts';

/** Maximum number of rows in a comment: nobody reads a longer one, and it may be rejected. */
const mostRows = 200;

/** Compares two sides for a pull request comment. `text` puts the notes below the table. */
export async function markdownPlan(
  compared: DecidableLinks<ComparedLink<FileLink>>,
  verb: PlanVerb,
  session: Session,
): Promise<{ readonly plan: ChangePlan; text(notes: readonly string[]): string }> {
  const plan = new ChangePlan(verb, session);
  const rows: Row[] = [];
  let count = 0;
  for await (const links of decidedPages(plan, compared, session)) {
    const found = links.flatMap(differencesOf);
    rows.push(...found.slice(0, mostRows - rows.length));
    count += found.length;
  }
  return { plan, text: (notes) => markdown(plan, rows, count, notes) };
}

/** Shows the counts, a table of the differences, links that are left unchanged, and notes. */
function markdown(plan: ChangePlan, rows: readonly Row[], count: number, notes: readonly string[]): string {
  const [head = '', ...rest] = summaryLines(plan, Number.POSITIVE_INFINITY);
  const lines = rows.map(
    ({ sign, hash, short_url, field, before, after }) =>
      `| ${sign} | ${code(short_url ?? hash)} | ${field ?? ''} | ${code(before)} | ${code(after)} |`,
  );
  const more = count - rows.length;
  const blocks = [
    `**${plain(head)}**`,
    ...(lines.length > 0 ? [['| | Link | Field | Before | After |', '|---|---|---|---|---|', ...lines].join('\n')] : []),
    ...(more > 0 ? [`and ${grouped(more)} more`] : []),
    ...[...rest, ...notes].map((line) => plain(line.trim())),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Formats a value as code, so that nothing in it becomes a link, a mention or markup. */
function code(value: unknown): string {
  const text = safe(Array.isArray(value) ? joinList(value) : String(value ?? '')).replace(/\|/g, '\\|');
  if (text === '') return '';
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? fence + text + fence : `${fence} ${text} ${fence}`;
}

/** Escapes characters that would be markup. */
function plain(text: string): string {
  return safe(text).replace(/[\\`*_[\]<>|@#]/g, (mark) => `\\${mark}`);
}

/** Returns one row for each difference between the file and the account. */
export function differencesOf({ target, record, item, outcome }: ComparedLink<FileLink> & PlannedLink): Row[] {
  const short_url = target.domain === undefined ? record?.short_url : linkText(target);
  const name = { sign: signs[outcome.kind], hash: target.hash, ...(short_url !== undefined && { short_url }) };
  switch (outcome.kind) {
    case 'create': {
      const { long_url, ...others } = outcome.fields;
      return [{ ...name, after: long_url }, ...Object.entries(others).map(([field, after]) => ({ ...name, field, after }))];
    }
    case 'delete':
      return [{ ...name, before: record?.long_url }];
    case 'refused':
    case 'change': {
      const fields = outcome.fields ?? {};
      // Tags are instructions. With a base, they keep the labels that others have attached since.
      const tags = record ? labelsAfter(fields.tags ?? [], record.tags ?? []) : item?.tags;
      return fieldChanges(fields, record ?? {}).map(({ field, before, after }) => ({
        ...name,
        field,
        before,
        after: field === 'tags' ? tags : after,
      }));
    }
    default:
      return [];
  }
}
