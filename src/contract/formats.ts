import type { FieldUse } from './fields.ts';

/** Values of `--output`, `LINKCTL_OUTPUT` and a profile's `output`. */
export const formats = ['table', 'json', 'jsonl', 'csv', 'tsv'] as const;
export type Format = (typeof formats)[number];

/** Some commands accept it for `-o` in addition to the formats. */
export const markdown = 'markdown';

export type LineFormat = Extract<Format, 'csv' | 'tsv'>;

export function isFormat(text: string): text is Format {
  return formats.some((format) => format === text);
}

/** JSON formats print whole records under their wire names. */
export function isJson(format: Format | undefined): format is 'json' | 'jsonl' {
  return format === 'json' || format === 'jsonl';
}

export type InputUse = Exclude<FieldUse, 'edit-by-tags'> | 'apply';

/** Rows of other commands than shorten identify existing links. */
export function namesLinks(use: InputUse): boolean {
  return use !== 'shorten';
}

export const inputFormats = ['lines', 'csv', 'json', 'jsonl'] as const;
export type InputFormat = (typeof inputFormats)[number];
