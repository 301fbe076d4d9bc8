import { expect, test } from 'vitest';
import { withTypedAccount } from '../../src/output/printed-commands.ts';

test.each([
  ['linkctl tags', 'linkctl -p work tags'],
  ['to undo it: linkctl undo 2031-1', 'to undo it: linkctl -p work undo 2031-1'],
  ['linkctl undo x; or: linkctl redo <run>', 'linkctl -p work undo x; or: linkctl -p work redo <run>'],
  [
    'check with linkctl list, then repeat linkctl undo x',
    'check with linkctl -p work list --domain two.ex, then repeat linkctl -p work undo x',
  ],
  ['linkctl list --search x --domain one.ex', 'linkctl -p work list --search x --domain one.ex'],
  ['linkctl auth logout', 'linkctl -p work auth logout'],
  ['correct it, or log in: linkctl auth login', 'correct it, or log in: linkctl -p work auth login'],
  ["linkctl list -- '-x'", "linkctl -p work list --domain two.ex -- '-x'"],
])('B45: a printed command is about the account that was typed: %s', (text, expected) => {
  expect(withTypedAccount(text, { profile: 'work', domain: 'two.ex' })).toBe(expected);
});

test.each([
  'linkctl undo --profile other 2031-1',
  'linkctl -p sandbox',
  'linkctl auth login --profile work',
  'linkctl auth list',
  'to switch: linkctl auth switch play',
  'linkctl help filters',
  'for the known orders: linkctl list --help',
  'use the linkctl version that started it',
  'run in another terminal: linkctl serve',
  'in use by another linkctl (process 1)',
  'the folder /home/ann/.local/state/linkctl cannot be read',
  'shortening 1 row of my linkctl list/x.csv in 1 batch',
  'cannot read ./linkctl list.csv: linkctl list.csv is a directory',
  '3 links that linkctl deleted or reset are not counted',
])('B45: a command without an account, or with its own, stays as it is: %s', (text) => {
  expect(withTypedAccount(text, { profile: 'work', domain: 'two.ex' })).toBe(text);
});

test('B45: an account that was typed without a profile, and the edition of the sandbox, are repeated, too', () => {
  const account = { baseUrl: 'https://s.ex/api/3', username: 'ann', apiKeyFile: 'my key', edition: 'b' };
  expect(withTypedAccount('to undo it: linkctl undo 1', account)).toBe(
    "to undo it: linkctl --base-url https://s.ex/api/3 --username ann --api-key-file 'my key' --edition b undo 1",
  );
  expect(withTypedAccount('linkctl undo 1', { profile: 'sandbox', edition: 'b' })).toBe('linkctl -p sandbox --edition b undo 1');
  expect(withTypedAccount('linkctl undo --profile other 1', account)).toBe('linkctl undo --profile other 1');
});

test('B45: a login repeats the profile beside the flags that it stores, and no base URL beside the right one', () => {
  const account = { profile: 'work', baseUrl: 'https://s.ex/api/3', username: 'ann' };
  expect(withTypedAccount('linkctl auth login', account)).toBe(
    'linkctl -p work --base-url https://s.ex/api/3 --username ann auth login',
  );
  expect(withTypedAccount('linkctl auth login --base-url https://two.ex', account)).toBe(
    'linkctl -p work --username ann auth login --base-url https://two.ex',
  );
});

test('B45: an account that was not typed is not repeated', () => {
  expect(withTypedAccount('linkctl list', {})).toBe('linkctl list');
});
