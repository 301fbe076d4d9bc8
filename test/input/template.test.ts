import { expect, test } from 'vitest';
import type { Edition } from '../../src/contract/editions.ts';
import type { InputFormat, InputUse } from '../../src/contract/formats.ts';
import { inputTemplate } from '../../src/input/template.ts';
import { check, checkEdit } from './fixtures.ts';

test('B91: the template of a CSV has every field, the required one first', () => {
  expect(inputTemplate('shorten', 'a', 'csv').split('\n')[0]).toBe(
    'long_url,custom_hash,note,tags,expiration_date,email_stats,max_clicks',
  );
  expect(inputTemplate('shorten', 'b', 'csv').split('\n')[0]).toBe('long_url,custom_hash,note,tags,expiration_date,email_stats');
  expect(inputTemplate('edit', 'a', 'csv').split('\n')[0]).toBe(
    'hash,custom_hash,long_url,note,tags,expiration_date,email_stats,max_clicks',
  );
});

const kinds: [InputUse, Edition, InputFormat][] = (['a', 'b'] as const).flatMap((edition) => [
  ['shorten', edition, 'csv'],
  ['shorten', edition, 'jsonl'],
  ['shorten', edition, 'lines'],
  ['edit', edition, 'csv'],
  ['edit', edition, 'jsonl'],
]);
test.each(kinds)('B91: the template to %s on edition %s as %s passes the check', async (use, edition, format) => {
  const text = inputTemplate(use, edition, format);
  const checked = await (use === 'edit' ? checkEdit : check)(text, { edition, format });
  expect(checked).toMatchObject({ rows: 1, warnings: [] });
});
