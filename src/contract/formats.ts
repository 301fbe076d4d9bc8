/** What `--output`, `LINKCTL_OUTPUT` and a profile's `output` take. */
export const formats = ['table', 'json', 'jsonl', 'csv', 'tsv'] as const;
export type Format = (typeof formats)[number];

export function isFormat(text: string): text is Format {
  return formats.some((format) => format === text);
}

/** Whether records go out whole, under their wire names. */
export function isJson(format: Format | undefined): format is 'json' | 'jsonl' {
  return format === 'json' || format === 'jsonl';
}
