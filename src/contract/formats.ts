/** Values of `--output`, `LINKCTL_OUTPUT` and a profile's `output`. */
export const formats = ['table', 'json', 'jsonl', 'csv', 'tsv'] as const;
export type Format = (typeof formats)[number];

/** What `-o` takes of commands that have it, beside the formats. */
export const markdown = 'markdown';

/** Formats of one line for each row. */
export type LineFormat = Extract<Format, 'csv' | 'tsv'>;

export function isFormat(text: string): text is Format {
  return formats.some((format) => format === text);
}

/** Whether records are printed whole, under their wire names. */
export function isJson(format: Format | undefined): format is 'json' | 'jsonl' {
  return format === 'json' || format === 'jsonl';
}
