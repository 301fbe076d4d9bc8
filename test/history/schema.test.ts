import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { openConnection } from '../../src/files/sqlite.ts';
import { numbered, store, visit } from '../support/stored-links.ts';
import { answerOf, record, test } from './history-world.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'src', 'history', 'README.md'), 'utf8');

test('H7: the query of the README answers clicks per day of one link, asked by a SQLite that is not ours', async ({
  on,
  service,
  history,
}) => {
  await store(service, numbered(3));
  await visit(service, 'h1', 9);
  for (const days of [0, 1, 1.5, 2, 3]) {
    await on(days, ...record);
    await visit(service, 'h1', 2);
    await visit(service, 'h2', 1);
  }
  const [, query = ''] = /```sql\n(.*?)```/s.exec(readme) ?? [];
  const clicks = await answerOf(history(), query, { short_url: 'localhost/h1' });
  expect(clicks).toEqual(['2026-03-02 0', '2026-03-03 4', '2026-03-04 2', '2026-03-05 2']);
});

test('H7: the README names every table and its columns, and no others', async ({ on, history }) => {
  await on(0, ...record);
  const columns = await answerOf(
    history(),
    `SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`,
  );
  const tables = new Set(columns.map((row) => row.split(' ')[0]));
  expect([...readme.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).sort()).toEqual([...tables].sort());
  for (const [table = '', column = ''] of columns.map((row) => row.split(' '))) {
    if (['id', 'reading', 'link', 'kind', 'hash', 'domain', 'total', 'unique_total'].includes(column)) continue;
    const row = new RegExp(`^\\| \`${table}\` \\|.*\`${column}\``, 'm');
    expect(readme, `${table}.${column}`).toMatch(row);
  }
});

test('a history that a newer version wrote is refused by name, and not changed', async ({ on, history }) => {
  await on(0, ...record);
  const connection = await openConnection(dirname(history()), 'history.db');
  connection.exec('PRAGMA user_version = 99');
  connection.close();
  const refused = await on(1, ...record);
  expect(refused).toMatchObject({ code: 9, stderr: expect.stringContaining('history.db was written by a newer linkctl') });
  expect(await answerOf(history(), 'SELECT COUNT(*) FROM readings')).toEqual(['1']);
});
