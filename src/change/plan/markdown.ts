import { safe } from '../../base/safe-text.ts';
import { grouped } from '../../output/quantity.ts';
import type { Row } from '../../output/report.ts';
import type { ChangePlan } from './plan.ts';

/** Rows that a comment shows; a longer one is not read, and may not be accepted. */
const mostRows = 200;

/** A plan as the comment of a pull request: its counts, and a table of what differs, with what is left alone below. */
export class MarkdownPlan {
  readonly #rows: Row[] = [];
  #count = 0;

  add(rows: readonly Row[]): void {
    this.#count += rows.length;
    if (this.#rows.length < mostRows) this.#rows.push(...rows.slice(0, mostRows - this.#rows.length));
  }

  /** `notes` are lines below the table. */
  text(plan: ChangePlan, notes: readonly string[] = []): string {
    const [head = '', ...rest] = plan.summary();
    const lines = this.#rows.map(
      ({ sign, hash, short_url, field, before, after }) =>
        `| ${sign} | ${code(short_url ?? hash)} | ${field ?? ''} | ${code(before)} | ${code(after)} |`,
    );
    const more = this.#count - this.#rows.length;
    const blocks = [
      `**${plain(head)}**`,
      ...(lines.length > 0 ? [['| | Link | Field | Before | After |', '|---|---|---|---|---|', ...lines].join('\n')] : []),
      ...(more > 0 ? [`and ${grouped(more)} more`] : []),
      ...[...rest, ...notes].map((line) => plain(line.trim())),
    ];
    return `${blocks.join('\n\n')}\n`;
  }
}

/** A value in a cell: as code nothing in it is a link, a mention or a mark. */
function code(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  const text = safe(Array.isArray(value) ? value.join(', ') : String(value)).replace(/\|/g, '\\|');
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? fence + text + fence : `${fence} ${text} ${fence}`;
}

/** A line of words, of which none is a mark. */
function plain(text: string): string {
  return safe(text).replace(/[\\`*_[\]<>|@#]/g, (mark) => `\\${mark}`);
}
