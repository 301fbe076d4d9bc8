import { csvLine } from '../base/csv-line.ts';
import type { Edition } from '../contract/editions.ts';
import { type FieldKind, type FieldName, fieldNames, fields } from '../contract/fields.ts';
import { type InputFormat, type InputUse, namesLinks } from '../contract/formats.ts';
import { joinList } from '../contract/tag-label.ts';
import type { WireValue } from './field-values.ts';

type Named = FieldName | 'hash';

/** A file with every field of this use and one valid example row. */
export function inputTemplate(use: InputUse, edition: Edition, format: InputFormat): string {
  if (format === 'lines') return `# one URL on each line\n${examples.url}\n`;
  const first: Named = namesLinks(use) ? 'hash' : 'long_url';
  const settable = fieldNames(use === 'apply' ? 'edit' : use, edition);
  const names: Named[] = [first, ...settable.filter((name) => name !== first && !(use === 'apply' && name === 'custom_hash'))];
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

function example(name: Named, use: InputUse): WireValue {
  if (name === 'hash') return 'abc';
  return name === 'tags' && use === 'edit' ? ['+news', '-mail'] : examples[fields[name].kind];
}
