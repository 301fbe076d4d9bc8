import { expect, test } from 'vitest';
import { parseSetting } from '../../src/profiles/effective-settings.ts';
import { profileFaults, requireProfileKey } from '../../src/profiles/profile.ts';
import { requireProfileName } from '../../src/profiles/profile-names.ts';

test.each(['work', 'a', '0', 'a-b_C9', 'x'.repeat(63)])('B68: %s is a name for a profile', (name) => {
  expect(requireProfileName(name)).toBe(name);
});

test.each(['', 'a.b', '-a', '_a', 'a b', 'é', 'a\n', 'a/b', 'x'.repeat(64), '__proto__', 'prototype', 'constructor'])(
  'B68, R-33: %j is no name for a profile',
  (name) => {
    expect(() => requireProfileName(name)).toThrow(expect.objectContaining({ exitCode: 2 }));
  },
);

test.each([
  ['edition', 'b', 'b'],
  ['domain', 's.example', 's.example'],
  ['output', 'jsonl', 'jsonl'],
  ['dedupe', 'off', 'off'],
  ['batch_size', '500', 500],
  ['api_key_command', '["pass", "show", "x"]', ['pass', 'show', 'x']],
  ['ca_file', '/etc/own.pem', '/etc/own.pem'],
  ['insecure_http', 'true', true],
  ['method_override', 'false', false],
  ['short_url_scheme', 'http', 'http'],
  ['color', 'never', 'never'],
])('config set: %s %j is stored as %j', (key, typed, stored) => {
  expect(parseSetting(requireProfileKey(key), typed)).toEqual(stored);
});

test.each([
  ['edition', 'c', 'edition: expected one of {a|b}, got "c"'],
  ['output', 'XML', 'output: expected one of {table|json|jsonl|csv|tsv}, got "XML"'],
  ['batch_size', '0', 'batch_size: expected a whole number from 1 to 1000, got "0"'],
  ['batch_size', '1001', 'batch_size: expected a whole number from 1 to 1000, got "1001"'],
  ['batch_size', '5.0', 'got "5.0"'],
  ['batch_size', '', 'got ""'],
  ['insecure_http', 'yes', 'insecure_http: expected true or false, got "yes"'],
  ['insecure_http', 'constructor', 'insecure_http: expected true or false'],
  ['api_key_command', 'pass show x', 'api_key_command: expected a JSON array'],
  ['api_key_command', '[]', 'api_key_command: expected a JSON array'],
  ['api_key_command', '["a", 1]', 'api_key_command: expected a JSON array'],
  ['domain', '', 'domain: expected a domain name'],
  ['domain', 'a b', 'domain: expected a domain name'],
  ['api_key', 'CANARY', 'api_key cannot be set separately; it is set at login'],
  ['base_url', 'https://evil.example', 'base_url cannot be set separately; it is set at login'],
  ['username', 'bob', 'username cannot be set separately; it is set at login'],
  ['colour', 'never', 'no setting "colour"; expected one of base_url, username'],
  ['toString', 'x', 'no setting "toString"'],
])('config set: %s %j is refused with its reason', (key, typed, reason) => {
  const set = () => parseSetting(requireProfileKey(key), typed);
  expect(set).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(set).toThrow(reason);
});

test('null means absent, and unknown keys are for a newer version', () => {
  expect(profileFaults({ api_key_command: null, domain: null, shiny: {} })).toEqual([]);
});
