import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { maskKey, Redactor } from '../../src/profiles/redactor.ts';

const key = 'CANARY+4f/1d "2c\\3b\'4a=é';
const username = 'ann@example.com';
const base64 = (text: string) => Buffer.from(text).toString('base64');

function redactor(): Redactor {
  const made = new Redactor();
  made.addKey(key, username);
  made.addProxy('http://joe:pr%40xy%2Fword@proxy.example:3128');
  return made;
}

test.each([
  ['the key', key],
  ['user:key', `${username}:${key}`],
  ['base64 of user:key', base64(`${username}:${key}`)],
  ['base64 of user:key without padding', base64(`${username}:${key}`).replace(/=+$/, '')],
  ['base64url of user:key', Buffer.from(`${username}:${key}`).toString('base64url')],
  ['base64 of the key', base64(key)],
  ['the key in a URL', encodeURIComponent(key)],
  ['the key in a URL in lower case', encodeURIComponent(key).replace(/%\w\w/g, (code) => code.toLowerCase())],
  ['the key in a form', new URLSearchParams({ k: key }).toString().slice(2)],
  ['the key in JSON', JSON.stringify(key).slice(1, -1)],
  ['the key as Node prints it', inspect(key).slice(1, -1)],
  ['the proxy password', 'pr@xy/word'],
  ['the proxy password as given', 'pr%40xy%2Fword'],
  ['base64 of the proxy credentials', base64('joe:pr@xy/word')],
])('R-40: %s is redacted wherever it is', (_what, secret) => {
  expect(redactor().redact(`<${secret}|${secret}>`)).toBe('<[redacted]|[redacted]>');
});

test.each([
  ['https://bob:s3cret@api.example.com/x', 'https://[redacted]@api.example.com/x'],
  [
    'cannot reach http://bob:a@b@proxy:3128, and http://x.example/?to=a@b',
    'cannot reach http://[redacted]@proxy:3128, and http://x.example/?to=a@b',
  ],
  ['"https://token@x.example"', '"https://[redacted]@x.example"'],
  ['https://x.example/users/ann@example.com', 'https://x.example/users/ann@example.com'],
  ['Authorization: Basic Zm9vOmJhcg==', 'Authorization: Basic [redacted]'],
  ['{"authorization":"Basic Zm9vOmJhcg==","a":1}', '{"authorization":"Basic [redacted]","a":1}'],
  ["['Proxy-Authorization', 'Bearer abc']", "['Proxy-Authorization', 'Bearer [redacted]']"],
  ['basic plan of ann@example.com', 'basic plan of ann@example.com'],
])('R-40, B73: %s is printed as %s', (text, printed) => {
  expect(redactor().redact(text)).toBe(printed);
});

test('a redactor without secrets still hides userinfo, and leaves the rest', () => {
  expect(new Redactor().redact('a b https://u:p@h/ $& [x]')).toBe('a b https://[redacted]@h/ $& [x]');
});

test('a proxy without userinfo, or without scheme, is understood', () => {
  const made = new Redactor();
  made.addProxy('http://proxy.example:3128');
  made.addProxy('joe:hidden@proxy.example:3128');
  expect(made.redact('proxy.example hidden')).toBe('proxy.example [redacted]');
});

test('keys that become known later are redacted from then on', () => {
  const made = new Redactor();
  expect(made.redact('one two')).toBe('one two');
  made.addKey('one-only');
  made.addKey('one-only-and-more', 'ann');
  expect(made.redact('one-only one-only-and-more ann:one-only-and-more')).toBe('[redacted] [redacted] [redacted]');
});

const sentence = 'try again: you may delete 5 URLs [y/N], a hash is any of a-z; key tests: yes';

test.each(['y', 'a', 'N', 're', 'is', 'hash', 'elete', 'ey', 'of'])(
  'D46: the key %s is cut out of no ordinary word, and not reported where it is',
  (short) => {
    const made = new Redactor();
    made.addKey(short, 'ann');
    expect(made.redact(sentence)).toBe(sentence);
    for (const place of [
      (text: string) => `{"api_key":"${text}"}`,
      (text: string) => `/urls?api_key=${text}&limit=1`,
      (text: string) => `the key ${text} is wrong`,
      (text: string) => `X-Tinycc-Key: ${text}`,
    ]) {
      expect(made.redact(place(short))).toBe(place('[redacted]'));
    }
    expect(made.redact(`ann:${short}`)).toMatch(/^(ann:)?\[redacted\]$/);
  },
);

test('D46: a key of 6 to 15 characters is redacted as a word of its own, a longer one anywhere', () => {
  const made = new Redactor();
  made.addKey('promo7');
  made.addKey('CANARY-4f1d2c3b4a59');
  expect(made.redact('wrong key promo7, xpromo7 promo77 (promo7)')).toBe('wrong key [redacted], xpromo7 promo77 ([redacted])');
  expect(made.redact('xCANARY-4f1d2c3b4a59x')).toBe('x[redacted]x');
});

test.each([
  ['CANARY-4f1d2c3b4a59', '****4a59'],
  ['0123456789abcdef', '****cdef'],
  ['0123456789abcde', '****'],
  ['', '****'],
])('R-39: the key %s is shown as %s', (shown, mask) => {
  expect(maskKey(shown)).toBe(mask);
});

test('R-40: what a server sends is kept as it is, but for a key that is long enough to be meant', () => {
  const made = new Redactor();
  made.addKey('promo', 'a');
  made.addKey('CANARY-4f1d2c3b4a59', 'ann');
  const data = 'promo https://u:p@h/ Authorization: Basic eA==';
  expect(made.withoutKey(data)).toBe(data);
  expect(made.withoutKey(`a CANARY-4f1d2c3b4a59 b ${base64('ann:CANARY-4f1d2c3b4a59')}`)).toBe(
    'a [API-key-removed-by-linkctl] b [API-key-removed-by-linkctl]',
  );
});
