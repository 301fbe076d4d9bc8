import { expect, test } from 'vitest';
import { accountName, apiAddresses, baseUrl, isExposed } from '../../src/profiles/account-values.ts';

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
])('D47, FIELD-NOTES 27: %s may stand for %j: encrypted, unless it is this machine', (text, addresses) => {
  expect(apiAddresses(text)).toEqual(addresses);
});

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['HTTPS://API.example.com:443/rest/v3//', 'https://api.example.com/rest/v3'],
  ['http://127.0.0.1:8080/v3', 'http://127.0.0.1:8080/v3'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
  ['https://bücher.example/a@b', 'https://xn--bcher-kva.example/a@b'],
  ['https://ann:key@api.example.com', undefined],
  ['https://@api.example.com', undefined],
  ['https://api.example.com?x=1', undefined],
  ['https://api.example.com/#', undefined],
  ['https://api.exam\tple.com', undefined],
  [' https://api.example.com', undefined],
  ['https:\\\\api.example.com', undefined],
  ['https:///api.example.com', undefined],
  ['api.example.com', undefined],
  ['ftp://api.example.com', undefined],
  ['file:///etc/passwd', undefined],
  ['https://', undefined],
  ['', undefined],
])('a base URL %j is kept as %j', (typed, kept) => {
  expect(baseUrl(typed)).toBe(kept);
});

test.each([
  ['http://localhost:8080', false],
  ['http://127.0.0.1', false],
  ['http://127.8.9.10:1', false],
  ['http://[::1]', false],
  ['https://example.com', false],
  ['http://example.com', true],
  ['http://localhost.example.com', true],
  ['http://127.0.0.1.example.com', true],
  ['http://10.0.0.1', true],
  ['http://[::2]', true],
])('B74: a key on its way to %s is exposed: %j', (url, exposed) => {
  expect(isExposed(url)).toBe(exposed);
});

test.each([
  ['ann', 'ann'],
  ['ann@example.com', 'ann@example.com'],
  ['Änn 2', 'Änn 2'],
  ['a:b', undefined],
  ['a\nb', undefined],
  ['a\u0085b', undefined],
  ['', undefined],
])('R-43: a username %j is taken as %j', (typed, taken) => {
  expect(accountName(typed)).toBe(taken);
});
