import { join } from 'node:path';
import { expect } from 'vitest';
import { openConnection } from '../../src/files/sqlite.ts';
import { test } from '../support/linkctl.ts';

const sandbox = ['-p', 'sandbox'];

test('B33: a listing of the sandbox is complete though the number of its calls cannot be stored: exit 0 and a warning', async ({
  linkctl,
  folder,
}) => {
  await linkctl([...sandbox, 'shorten', 'https://example.com/', '--hash', 'abc']);
  const data = join(folder, '.local', 'share', 'linkctl');
  const other = await openConnection(data, 'links-a.db');
  other.begin('write');
  const listed = await linkctl([...sandbox, 'list', '--fields', 'hash']);
  other.close();
  expect(listed).toEqual({
    code: 0,
    stdout: 'abc\n',
    stderr: `warning: cannot use the data folder ${data}: database is locked\n`,
  });
});
