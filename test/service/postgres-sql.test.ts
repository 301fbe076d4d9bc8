import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTable } from '../../src/service/store/postgres/schema.ts';
import { tables } from '../../src/service/store/rows/tables.ts';

const store = join(import.meta.dirname, '..', '..', 'src', 'service', 'store');
const files = ['postgres', 'rows'].flatMap((folder) =>
  readdirSync(join(store, folder)).map((name) => ({ name, text: readFileSync(join(store, folder, name), 'utf8') })),
);
/** Without comments, which may speak of what is not done. */
const code = files.map(({ name, text }) => ({ name, text: text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '') }));

test('S4: no statement has what other engines of this protocol lack', () => {
  const missing =
    /\b(LISTEN|NOTIFY|pg_advisory\w*|pg_try_advisory\w*|ctid|DEFERRABLE|SERIAL|BIGSERIAL|SEQUENCE|nextval|TEMP|TEMPORARY|TRIGGER|COPY|SKIP LOCKED)\b/;
  const found = code.flatMap(({ name, text }) => (missing.exec(text) ? [`${name}: ${missing.exec(text)?.[0]}`] : []));
  expect(found).toEqual([]);
});

test('S4: every table has a key that begins with the account, or is the account or the version', () => {
  const schema = code.find(({ name }) => name === 'schema.ts')?.text ?? '';
  const texts = [...schema.matchAll(/CREATE TABLE IF NOT EXISTS \w+ \([^$]*?\)(?=`)/g)].map(([text]) => text);
  const created = [...texts, ...tables.map(createTable)];
  expect(created.length).toBeGreaterThan(11);
  for (const text of created) {
    const [, name = ''] = /EXISTS (\w+)/.exec(text) ?? [];
    const key = /PRIMARY KEY \((\w+)/.exec(text)?.[1] ?? /(\w+) BIGINT PRIMARY KEY/.exec(text)?.[1];
    expect([name, key]).toEqual([name, ['accounts', 'linkctl_schema'].includes(name) ? 'id' : 'account_id']);
  }
});
