import { UsageError } from '../base/errors.ts';
import type { FieldUse } from '../contract/fields.ts';
import { firstLine } from './first-line.ts';
import type { Source } from './source.ts';

export type InputUse = Exclude<FieldUse, 'edit-by-tags'> | 'apply';

/** Rows of other commands than shorten identify existing links. */
export function namesLinks(use: InputUse): boolean {
  return use !== 'shorten';
}

export const inputFormats = ['lines', 'csv', 'json', 'jsonl'] as const;
export type InputFormat = (typeof inputFormats)[number];

interface Named {
  readonly use: InputUse;
  /** The path, or `-`. */
  readonly operand: string;
  readonly given?: InputFormat | undefined;
}

/** Decides by the flag, then the extension, then a JSON beginning; otherwise the file has one URL per line. */
export async function formatOf(source: Source, named: Named): Promise<InputFormat> {
  const format = formatByName(named.operand, named.given);
  const isOpen = named.given === undefined && format === 'lines';
  const found = isOpen && (await beginsAsJson(source)) ? 'json' : format;
  if (namesLinks(named.use) && found === 'lines') {
    const subject = named.use === 'apply' ? 'diff and apply require' : `${named.use} requires`;
    throw new UsageError(`${subject} csv or json: set --input-format`, {
      details: ['the format lines has no fields to change'],
    });
  }
  return found;
}

export function formatByName(operand: string, given?: InputFormat): InputFormat {
  return given ?? extensions[/\.[^./\\]+$/.exec(operand.toLowerCase())?.[0] ?? ''] ?? 'lines';
}

async function beginsAsJson(source: Source): Promise<boolean> {
  const { text } = await firstLine(source, (line) => line.trim() !== '');
  return /^\s*[{[]/.test(text);
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
