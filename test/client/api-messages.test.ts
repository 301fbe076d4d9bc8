import { expect, test } from 'vitest';
import { exitCodes } from '../../src/base/errors.ts';
import { apiMessage, itemError } from '../../src/client/api-messages.ts';
import type { Identity } from '../../src/client/subject.ts';
import { type ErrorCode, errors } from '../../src/contract/errors.ts';

const identity: Identity = {
  host: 'api.example',
  baseUrl: 'https://api.example/api/3',
  server: 'https://api.example/api/3',
  username: 'ann',
  profile: 'work',
  keySource: '~/.config/linkctl/config.json',
};
const subject = { identity, method: 'GET', path: '/urls' };
const named = {
  ...subject,
  hash: 'abc',
  label: 'promo',
  domain: 's.ex',
  longUrl: 'https://x.example/',
  date: '2025-02-30',
  expression: 'a&&',
};

const codes = Object.keys(errors)
  .map(Number)
  .filter((code): code is Exclude<ErrorCode, 0> => code !== 0);

/** CLI 2. */
const expectedExit: { readonly [code in Exclude<ErrorCode, 0>]: keyof typeof exitCodes } = {
  101: 'failed',
  1102: 'auth',
  1204: 'rejected',
  1206: 'rejected',
  1215: 'rejected',
  1216: 'rejected',
  1217: 'auth',
  1218: 'rejected',
  1219: 'unavailable',
  1220: 'limit',
  1221: 'limit',
  1300: 'auth',
  1301: 'local',
  1302: 'local',
  1303: 'limit',
  1305: 'failed',
  1306: 'not_found',
  1307: 'failed',
  1308: 'unavailable',
  1309: 'not_found',
  1310: 'limit',
  1311: 'rejected',
  1312: 'rejected',
  1313: 'not_found',
  1314: 'rejected',
};

test.each(codes)('B46: code %i has a sentence and an exit code of our own, and keeps the words of the server', (code) => {
  for (const about of [subject, named]) {
    const error = itemError({ code, message: 'Words of the server.', details: 'and details' }, about);
    const isChosen = code === 1305 && about === named;
    const isElsewhere = code === 1306 && about === subject;
    expect(error.exitCode).toBe(exitCodes[isChosen ? 'rejected' : isElsewhere ? 'local' : expectedExit[code]]);
    expect(error.apiCode).toBe(code);
    expect(error.details).toEqual(['server message: Words of the server.', 'server message: and details']);
    expect(error.message).toMatch(/^\S.*[^.\s]$/);
    expect(`${error.message} ${error.hint ?? ''}`).not.toMatch(/undefined|null|\[object/);
    expect(error.message).not.toContain(errors[code].message);
    expect(error.hint).toBeTruthy();
  }
});

test.each<[number, string, string]>([
  [
    1300,
    'the server rejected the API key of profile "work" (from ~/.config/linkctl/config.json)',
    'linkctl auth login --profile work',
  ],
  [
    1102,
    'the server rejected the username "ann" of profile "work" (from ~/.config/linkctl/config.json)',
    'linkctl auth login --profile work',
  ],
  [
    1217,
    'the account "ann" of profile "work" (from ~/.config/linkctl/config.json) is inactive or expired',
    'renew it in the web interface of api.example',
  ],
])('B47: %i names the profile and where the key is from', (code, message, hint) => {
  expect(apiMessage({ code, message: '' }, subject)).toEqual({ kind: 'auth', message, hint });
});

test('B47: credentials of the environment are named as such', () => {
  const fromEnvironment = { ...subject, identity: { ...identity, profile: undefined, keySource: 'LINKCTL_API_KEY' } };
  expect(apiMessage({ code: 1300, message: '' }, fromEnvironment)).toEqual({
    kind: 'auth',
    message: 'the server rejected the API key from LINKCTL_API_KEY',
    hint: 'check the username, and the API key from LINKCTL_API_KEY',
  });
});

test.each<[number, string]>([
  [1306, 'no short URL "abc" on s.ex'],
  [1309, 'no tag "promo"'],
  [1313, 'no domain "s.ex" on this account'],
  [1215, 'the hash "abc" is already in use or not allowed'],
  [1206, 'the URL "https://x.example/" is not accepted as a destination'],
  [1312, 'the date "2025-02-30" is not accepted'],
  [1305, 'the tag expression a&& is not valid on this server'],
  [1310, 'the request for the short URL "abc" is too large for this server'],
])('B45: %i names what it is about', (code, message) => {
  expect(apiMessage({ code, message: '' }, named).message).toBe(message);
});

test.each(['/urls', '/tags', '/domains', '/log'])('CLI 2: 1306 for GET %s is about the base URL, not about a link', (path) => {
  const about = { ...subject, path };
  const elsewhere = apiMessage({ code: 1301, message: '' }, about);
  expect(elsewhere).toMatchObject({
    kind: 'local',
    hint: expect.stringContaining('check the base URL https://api.example/api/3'),
  });
  expect(apiMessage({ code: 1306, message: '' }, about)).toEqual(elsewhere);
});

test.each<[string, object]>([
  ['a hash', { path: '/urls/abc', hash: 'abc' }],
  ['a raw path', { path: '/urls/abc' }],
  ['hashes', { path: '/urls', hashes: 'abc,def' }],
  ['a tag expression', { path: '/urls', expression: 'promo' }],
  ['a deletion', { method: 'DELETE', path: '/urls' }],
  ['hashes in the items', { method: 'PATCH', path: '/urls' }],
])('F45: 1306 for a call with %s is about links', (_what, about) => {
  expect(apiMessage({ code: 1306, message: '' }, { ...subject, ...about }).kind).toBe('not_found');
});

test.each([1301, 1302, 1305, 1306])('CLI 2: %i for GET /account says that the API is not there', (code) => {
  expect(apiMessage({ code, message: '' }, { ...subject, path: '/account' })).toEqual({
    kind: 'local',
    message: 'the API is not at https://api.example/api/3',
    hint: 'check the base URL and its path, such as https://s.example/tiny/api/3',
  });
});

test('B45: only a method that a proxy may block has the hint of method_override', () => {
  const hintFor = (method: string) => apiMessage({ code: 1302, message: '' }, { ...named, method }).hint;
  for (const method of ['PATCH', 'DELETE']) expect(hintFor(method)).toContain('config set method_override true');
  const { hint } = apiMessage({ code: 1301, message: '' }, named);
  for (const method of ['GET', 'POST']) expect(hintFor(method)).toBe(hint);
});

test('B45: a hint is a command that a shell takes as it is', () => {
  expect(apiMessage({ code: 1306, message: '' }, { ...subject, hash: "it's $(x)" }).hint).toBe(
    "linkctl list --search 'it'\\''s $(x)'",
  );
});

test.each([
  [9999, 'strange', 'service error 9999: strange'],
  [9999, '', 'service error 9999: without a message'],
])('B46: the unlisted code %i passes through', (code, message, expected) => {
  expect(itemError({ code, message }, subject)).toMatchObject({ exitCode: 1, apiCode: code, message: expected });
});

test('B45: the sandbox is named as such, because nobody knows its address', () => {
  const sandbox = { ...identity, host: '127.0.0.1:0', baseUrl: 'http://127.0.0.1:0/api/3', server: 'sandbox, edition a' };
  for (const code of [101, 1216, 1219, 1308]) {
    expect(apiMessage({ code, message: '' }, { ...named, identity: sandbox }).message).toMatch(/\bthe sandbox\b/);
    expect(apiMessage({ code, message: '' }, named).message).toMatch(/\bapi\.example\b/);
  }
});

test('1216: the hint says that a short URL cannot lead to a domain of the account', () => {
  expect(apiMessage({ code: 1216, message: '' }, named).hint).toContain('a short URL cannot lead to a domain of the account');
});

test('B46: a request for one link that is too large does not advise smaller batches', () => {
  const hint = 'use shorter values, or fewer tags';
  expect(apiMessage({ code: 1310, message: '' }, named).hint).toBe(hint);
  const typed = apiMessage({ code: 1310, message: '' }, { ...subject, longUrl: 'https://x.example/' });
  expect(typed).toMatchObject({ message: 'the request for the URL "https://x.example/" is too large for this server', hint });
  const tag = apiMessage({ code: 1310, message: '' }, { ...subject, label: 'promo' });
  expect(tag).toMatchObject({ message: 'the request for the tag label "promo" is too large for this server', hint });
  expect(apiMessage({ code: 1310, message: '' }, subject).hint).toContain('batch_size');
});
