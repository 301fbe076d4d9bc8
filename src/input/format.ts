import { UsageError } from '../base/errors.ts';
import type { FieldUse } from '../contract/fields.ts';

/** What a file of rows can be read for. */
export type InputUse = Exclude<FieldUse, 'edit-by-tags'>;

export const inputFormats = ['lines', 'csv', 'jsonl'] as const;
export type InputFormat = (typeof inputFormats)[number];

/** How a file is read: as the flag says, else by its extension, else one URL per line (B91). An edit of `-` needs the flag. */
export function inputFormat(use: InputUse, operand: string, given?: InputFormat): InputFormat {
  const format = given ?? extensions[/\.[^./\\]+$/.exec(operand.toLowerCase())?.[0] ?? ''] ?? 'lines';
  if (use === 'edit' && format === 'lines') {
    throw new UsageError('edit requires csv or jsonl: set --input-format', {
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

const extensions: { readonly [extension: string]: InputFormat | undefined } = {
  '.csv': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.txt': 'lines',
};
