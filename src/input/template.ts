import { csvLine } from '../base/csv.ts';
import type { Edition } from '../contract/editions.ts';
import { type FieldKind, fieldNames, fields } from '../contract/fields.ts';
import { joinList } from '../contract/tag-label.ts';
import type { InputFormat, InputUse } from './format.ts';
import type { Target, WireValue } from './values.ts';

/** A file to fill in (B91): every field that this use can set, with one row of examples that passes the check. */
export function inputTemplate(use: InputUse, edition: Edition, format: InputFormat): string {
  if (format === 'lines') return `# one URL on each line\n${examples.url}\n`;
  const first: Target = use === 'edit' ? 'hash' : 'long_url';
  const names: Target[] = [first, ...fieldNames(use, edition).filter((name) => name !== first)];
  const values = names.map((name) => example(name, use));
  if (format === 'jsonl') return `${JSON.stringify(Object.fromEntries(names.map((name, index) => [name, values[index]])))}\n`;
  return csvLine(names) + csvLine(values.map((value) => (Array.isArray(value) ? joinList(value) : String(value))));
}

const examples: { readonly [K in FieldKind]: WireValue } = {
  hash: 'spring',
  url: 'https://www.example.com/a/page',
  text: 'free text',
  boolean: false,
  date: '2099-12-31',
  integer: 0,
  tags: ['news', 'mail'],
};

function example(name: Target, use: InputUse): WireValue {
  if (name === 'hash' || name === 'short_url' || name === 'domain') return 'abc';
  return name === 'tags' && use === 'edit' ? ['+news', '-mail'] : examples[fields[name].kind];
}
