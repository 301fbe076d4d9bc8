import { expect, test } from 'vitest';
import { editText } from '../../src/change/decide/outcome.ts';

test.each([
  [null, '2031-12-31', 'expiration_date: never -> "2031-12-31"'],
  ['2031-12-31', null, 'expiration_date: "2031-12-31" -> never'],
])('U3: a link without an end is shown as --expires names it: %s to %s', (before, after, text) => {
  expect(editText({ expiration_date: after }, { expiration_date: before })).toBe(text);
});

test('W2: a label with a comma, a quote or a sign in it cannot be read as two', () => {
  const tags = ['+new, promo', '+sale -50%', '-old', '-"q", x'];
  expect(editText({ tags }, { tags: ['old', '"q", x'] })).toBe('tags: "+new, promo",+sale -50%,-old,"-""q"", x"');
});
