import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import type { Edition } from '../contract/editions.ts';
import { type InputFormat, type InputUse, namesLinks } from '../contract/formats.ts';
import { splitList } from '../contract/tag-label.ts';
import type { Target } from './field-values.ts';
import { folded } from './fields/aliases.ts';
import type { NamedColumns } from './fields/columns.ts';
import { knownMembers } from './fields/members.ts';
import type { Source } from './source.ts';
import { firstLines } from './text-lines.ts';

interface Named {
  readonly use: InputUse;
  /** The path, or `-`. */
  readonly operand: string;
  readonly given?: InputFormat | undefined;
}

/** Decides by the flag, then the extension, then a JSON beginning; otherwise the file has one URL per line. */
export async function formatOf(source: Source, { use, operand, given }: Named): Promise<InputFormat> {
  const format = formatByName(operand, given);
  if (format !== 'lines') return format;
  const { line, texts } = await firstLines(source, 1);
  const [first = ''] = texts;
  if (given === undefined && /^\s*[{[]/.test(first)) return 'json';
  if (!namesLinks(use)) return format;
  if (first.includes('\t')) throw new UsageError(`${source.name}:${line}: ${tsvReason}`);
  const subject = use === 'apply' ? 'diff and apply require' : `${use} requires`;
  throw new UsageError(`${source.name}: ${subject} csv or json`, { hint: 'add --input-format csv' });
}

/** Read as csv, the escapes of `-o tsv` would become part of the notes. */
export const tsvReason = 'looks like tsv: if linkctl printed it, print csv or json instead; otherwise use --input-format csv';

export function formatByName(operand: string, given?: InputFormat): InputFormat {
  return given ?? extensions[/\.[^./\\]+$/.exec(operand.toLowerCase())?.[0] ?? ''] ?? 'lines';
}

/** Accepts one character, or `tab`. */
export function delimiterOf(text: string): string {
  if (text.toLowerCase() === 'tab' || text === '\\t') return '\t';
  if (text.length === 1 && !/["\r\n'+\-=@\w]/.test(text)) return text;
  throw new UsageError(`--delimiter: expected one character such as ';' or the word tab, got ${JSON.stringify(text)}`);
}

/** Accepts any text except blanks. */
export function separatorOf(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new UsageError(`--tag-separator: expected a character such as '|', got ${JSON.stringify(text)}`);
}

const extensions: { readonly [extension: string]: InputFormat | undefined } = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.txt': 'lines',
};

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
