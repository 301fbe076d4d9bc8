import { expect, test } from 'vitest';
import { openConnection } from '../../src/files/sqlite.ts';

test('a statement is prepared once while it is in use; of many texts, those that were used last are kept', async () => {
  const connection = await openConnection(undefined, 'any');
  const first = connection.sql('SELECT 0 AS n');
  const others = Array.from({ length: 99 }, (_, nth) => connection.sql(`SELECT ${nth + 1} AS n`));
  expect(connection.sql('SELECT 0 AS n')).toBe(first);
  connection.sql('SELECT 100 AS n');
  expect(connection.sql('SELECT 0 AS n')).toBe(first);
  expect(connection.sql('SELECT 1 AS n')).not.toBe(others[0]);
  expect(connection.sql('SELECT 1 AS n').get()).toEqual({ n: 1 });
  connection.close();
});
