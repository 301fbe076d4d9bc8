import { expect, test } from 'vitest';
import { apiAddresses } from '../../src/profiles/account-values.ts';

test.each<[string, readonly string[]]>([
  ['s.ex', ['https://s.ex/tiny/api/3', 'https://s.ex/api/3']],
  ['s.ex/', ['https://s.ex/tiny/api/3', 'https://s.ex/api/3']],
  ['s.ex:8443', ['https://s.ex:8443/tiny/api/3', 'https://s.ex:8443/api/3']],
  ['localhost:8787', ['http://localhost:8787/tiny/api/3', 'http://localhost:8787/api/3']],
  ['https://s.ex', ['https://s.ex/tiny/api/3', 'https://s.ex/api/3', 'https://s.ex']],
  ['s.ex/rest/v3', ['https://s.ex/rest/v3']],
  ['http://s.ex/rest/v3/', ['http://s.ex/rest/v3']],
  ['ann:secret@s.ex', []],
  ['ftp://s.ex', []],
  ['not an address', []],
])('D47: %s may stand for %j: encrypted, unless it is this machine', (text, addresses) => {
  expect(apiAddresses(text)).toEqual(addresses);
});
