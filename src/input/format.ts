import { UsageError } from '../base/errors.ts';
import type { FieldUse } from '../contract/fields.ts';

/** What a file of rows can be read for. */
export type InputUse = Exclude<FieldUse, 'edit-by-tags'> | 'apply';

/** Whether rows are of links that are named: those of a shortening only say what is to be made. */
export function namesLinks(use: InputUse): boolean {
  return use !== 'shorten';
}

export const inputFormats = ['lines', 'csv', 'jsonl'] as const;
export type InputFormat = (typeof inputFormats)[number];

/** How a file is read: as the flag says, else by its extension, else one URL per line (B91). What names links needs the flag for `-`. */
export function inputFormat(use: InputUse, operand: string, given?: InputFormat): InputFormat {
  const format = given ?? extensions[/\.[^./\\]+$/.exec(operand.toLowerCase())?.[0] ?? ''] ?? 'lines';
  if (namesLinks(use) && format === 'lines') {
    const subject = use === 'apply' ? 'diff and apply require' : `${use} requires`;
    throw new UsageError(`${subject} csv or jsonl: set --input-format`, {
      details: ['the format lines has no fields to change'],
    });
  }
  return format;
}

/** The delimiter of `--delimiter`: one character, or `tab`. */
export function delimiterOf(text: string): string {
  if (text.toLowerCase() === 'tab' || text === '\\t') return '\t';
  if (text.length === 1 && !/["\r\n'+\-=@\w]/.test(text)) return text;
  throw new UsageError(`--delimiter: expected one character such as ';' or the word tab, got ${JSON.stringify(text)}`);
}

/** What `--tag-separator` says: any text that no label begins or ends with. */
export function separatorOf(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new UsageError(`--tag-separator: expected a character such as '|', got ${JSON.stringify(text)}`);
}

const extensions: { readonly [extension: string]: InputFormat | undefined } = {
  '.csv': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.txt': 'lines',
};
