import { describe, expect, test } from 'vitest';
import { urlPrefix } from '../../../src/link/rules/url-prefix.ts';
import { canonicalUrl } from '../../../src/link/value.ts';
import { seededRandom } from '../../support/seeded-random.ts';

describe('F4: what begins with a URL, at a boundary', () => {
  const table: readonly (readonly [prefix: string, begins: readonly string[], others: readonly string[]])[] = [
    [
      'https://a.example',
      ['https://a.example', 'https://a.example/', 'https://a.example/x', 'https://a.example?x', 'https://a.example#x'],
      [
        'https://a.example.evil/',
        'https://a.example.evil',
        'https://a.examples/',
        'https://www.a.example/',
        'https://a.exampl',
        'https://a.example./',
        'https://b.example/?u=https://a.example/x',
        'https://b.example/https://a.example/x',
        'https://b.example#https://a.example',
        'a.example/x',
        '//a.example/x',
        'ftp://a.example/x',
        '',
      ],
    ],
    // Userinfo: what is before the @ is no host.
    [
      'https://a.example',
      [],
      [
        'https://a.example@evil.example/',
        'https://a.example:443@evil.example/',
        'https://a.example%40evil.example/',
        'https://evil.example\\@a.example/',
        'https://ann@a.example/x',
        'https://ann:pass@a.example/x',
      ],
    ],
    [
      'https://ann@a.example',
      ['https://ann@a.example/x', 'https://ann@A.EXAMPLE'],
      ['https://a.example/x', 'https://bob@a.example/x'],
    ],
    // A backslash ends the host, as in browsers.
    ['https://a.example', ['https://a.example\\x', 'https://a.example\\@evil.example/'], ['https://evil.example\\.a.example/']],
    // Scheme and port.
    [
      'https://a.example',
      ['HTTPS://a.example/x', 'https://a.example:443/x', 'https://a.example:/x', 'https://a.example:0443/x'],
      ['http://a.example/x', 'https://a.example:80/x', 'https://a.example:8443/x', 'https://a.example:4430/x'],
    ],
    ['http://a.example:80', ['http://a.example/x', 'http://a.example:80'], ['https://a.example:80/x', 'http://a.example:8080/']],
    ['https://a.example:8443', ['https://a.example:8443/x'], ['https://a.example/x', 'https://a.example:84430/x']],
    // Case, IDN and percent-encoding of the host.
    ['https://A.Example', ['https://a.example/x', 'https://a.EXAMPLE/x', 'https://%61.example/x', 'https://a%2Eexample/x'], []],
    [
      'https://bücher.example',
      [
        'https://xn--bcher-kva.example/x',
        'https://BÜCHER.example/x',
        'https://b%C3%BCcher.example/x',
        'https://bücher。example/x',
        'https://bu\u0308cher.example',
      ],
      ['https://bucher.example/x', 'https://buecher.example/x'],
    ],
    ['https://xn--bcher-kva.example', ['https://bücher.example/x', 'https://XN--BCHER-KVA.example'], []],
    ['http://127.0.0.1', ['http://127.0.0.1/x', 'http://127.1/x', 'http://0x7f.0.0.1/'], ['http://127.0.0.10/']],
    ['http://[::1]:8080', ['http://[::1]:8080/x', 'http://[0:0::1]:8080/x'], ['http://[::1]/x', 'http://[::10]:8080/']],
    // A path ends at a boundary, and is compared byte for byte.
    [
      'https://a.example/shop',
      [
        'https://a.example/shop',
        'https://A.example:443/shop',
        'https://a.example/shop/',
        'https://a.example/shop/x',
        'https://a.example/shop?x',
        'https://a.example/shop#x',
        'https://a.example/shop/../x',
      ],
      [
        'https://a.example',
        'https://a.example/',
        'https://a.example/shopping',
        'https://a.example/shop.html',
        'https://a.example/shop;x',
        'https://a.example/shop%2Fx',
        'https://a.example/shop&x',
        'https://a.example/Shop',
        'https://a.example//shop',
        'https://a.example/x/../shop',
        'https://a.example/sho%70',
        'https://a.example?/shop',
      ],
    ],
    [
      'https://a.example/shop/',
      ['https://a.example/shop/', 'https://a.example/shop/x', 'https://a.example/shop/?x', 'https://a.example/shop//x'],
      ['https://a.example/shop', 'https://a.example/shop?x', 'https://a.example/shopping/'],
    ],
    // An empty path is the path `/`.
    [
      'https://a.example/',
      ['https://a.example', 'https://a.example/', 'https://a.example?x', 'https://a.example/?x', 'https://a.example#x'],
      ['https://a.example.evil/', 'https://a.example@evil/'],
    ],
    // Escapes: the case of their digits is the only thing that is evened out.
    [
      'https://a.example/a%2fb',
      ['https://a.example/a%2Fb', 'https://a.example/a%2fb/c'],
      ['https://a.example/a/b', 'https://a.example/a%252fb'],
    ],
    ['https://a.example/ä', ['https://a.example/ä/x'], ['https://a.example/%C3%A4', 'https://a.example/a\u0308']],
    ['https://a.example/%', ['https://a.example/%/x'], ['https://a.example/%41']],
    // Queries and fragments.
    [
      'https://a.example/?ref=x',
      ['https://a.example/?ref=x', 'https://a.example/?ref=x&b=1', 'https://a.example/?ref=x#top'],
      [
        'https://a.example/?ref=xy',
        'https://a.example/?ref=x/y',
        'https://a.example/?b=1&ref=x',
        'https://a.example?ref=x',
        'https://a.example/#?ref=x',
      ],
    ],
    [
      'https://a.example/?ref=',
      ['https://a.example/?ref=', 'https://a.example/?ref=x', 'https://a.example/?ref=/y'],
      ['https://a.example/?reference='],
    ],
    ['https://a.example/?a=1&', ['https://a.example/?a=1&b=2'], ['https://a.example/?a=1']],
    ['https://a.example/x?', ['https://a.example/x?y'], ['https://a.example/x', 'https://a.example/x/?y']],
    [
      'https://a.example/#/app',
      ['https://a.example/#/app/x', 'https://a.example/#/app?x'],
      ['https://a.example/#/apple', 'https://a.example/app'],
    ],
    ['https://a.example/#', ['https://a.example/#', 'https://a.example/#x'], ['https://a.example/']],
  ];
  const cases = table.flatMap(([prefix, begins, others]) => [
    ...begins.map((url) => [prefix, url, true] as const),
    ...others.map((url) => [prefix, url, false] as const),
  ]);
  test.each(cases)('%s: %s is %s', (prefix, url, expected) => {
    expect(urlPrefix(prefix).matches(url)).toBe(expected);
    expect(urlPrefix(prefix).replace(url, 'https://b.example') !== undefined).toBe(expected);
  });
});

describe('F4: the rest stays byte for byte', () => {
  test.each([
    ['https://a.example', 'https://b.example', 'https://a.example', 'https://b.example'],
    ['https://a.example', 'https://b.example', 'https://a.example/', 'https://b.example/'],
    ['https://a.example', 'https://b.example', 'https://a.example/x//y?z=%2f#ü', 'https://b.example/x//y?z=%2f#ü'],
    ['https://a.example', 'https://b.example', 'https://a.example?x', 'https://b.example?x'],
    ['https://a.example', 'https://b.example', 'HTTPS://A.EXAMPLE:443/x', 'https://b.example/x'],
    ['https://a.example', 'https://b.example', 'https://b%C3%BC.example/', undefined],
    ['https://bü.example', 'https://b.example', 'https://xn--b-eha.example/ü?ü', 'https://b.example/ü?ü'],
    ['https://a.example', 'https://b.example:8443/new', 'https://a.example/x', 'https://b.example:8443/new/x'],
    [
      'https://a.example/?u=https://a.example/',
      'https://b.example/',
      'https://a.example/?u=https://a.example/x',
      'https://b.example/x',
    ],
    // One slash where only one of the two has it.
    ['https://a.example', 'https://b.example/', 'https://a.example/x', 'https://b.example/x'],
    ['https://a.example', 'https://b.example/', 'https://a.example//x', 'https://b.example//x'],
    ['https://a.example', 'https://b.example/', 'https://a.example', 'https://b.example/'],
    ['https://a.example', 'https://b.example/new/', 'https://a.example/', 'https://b.example/new/'],
    ['https://a.example', 'https://b.example/new/', 'https://a.example?x', 'https://b.example/new/?x'],
    ['https://a.example/', 'https://b.example', 'https://a.example/x', 'https://b.example/x'],
    ['https://a.example/', 'https://b.example', 'https://a.example//x', 'https://b.example//x'],
    ['https://a.example/', 'https://b.example/new', 'https://a.example/x', 'https://b.example/new/x'],
    ['https://a.example/', 'https://b.example/new', 'https://a.example/', 'https://b.example/new'],
    ['https://a.example/', 'https://b.example/new', 'https://a.example', 'https://b.example/new'],
    ['https://a.example/', 'https://b.example/new', 'https://a.example?x', 'https://b.example/new?x'],
    ['https://a.example/', 'https://b.example/new/', 'https://a.example/x', 'https://b.example/new/x'],
    ['https://a.example/', 'https://b.example/new/', 'https://a.example', 'https://b.example/new/'],
    ['https://a.example/shop', 'https://b.example/', 'https://a.example/shop/x', 'https://b.example/x'],
    ['https://a.example/shop', 'https://b.example/', 'https://a.example/shop?x', 'https://b.example/?x'],
    ['https://a.example/shop/', 'https://b.example/store', 'https://a.example/shop/x', 'https://b.example/store/x'],
    ['https://a.example/shop/', 'https://b.example/store', 'https://a.example/shop/#x', 'https://b.example/store#x'],
    ['https://a.example/shop/', 'https://b.example', 'https://a.example/shop/@evil', 'https://b.example/@evil'],
    // What is cut out of a query never becomes a part of the host.
    ['https://a.example/?id=', 'https://b.example/item/', 'https://a.example/?id=42', 'https://b.example/item/42'],
    ['https://a.example/?id=', 'https://b.example/item-', 'https://a.example/?id=42', 'https://b.example/item-42'],
    ['https://a.example/?id=', 'https://b.example', 'https://a.example/?id=.evil', 'https://b.example/.evil'],
    ['https://a.example/?id=', 'https://b.example', 'https://a.example/?id=@evil', 'https://b.example/@evil'],
    // A slash in a query or a fragment is no part of the path.
    ['https://a.example/x', 'https://b.example/?to=/', 'https://a.example/x/y', 'https://b.example/?to=//y'],
    ['https://a.example/#/', 'https://b.example/app', 'https://a.example/#/y', 'https://b.example/appy'],
  ])('%s -> %s: %s', (from, to, url, expected) => {
    expect(urlPrefix(from).replace(url, to)).toBe(expected);
  });
});

test.each([
  '',
  'a.example',
  '/shop',
  '//a.example',
  'ftp://a.example',
  'https://',
  'https:a.example',
  'https://a b',
  'https://:443',
])('F4: %j is no beginning of a long URL', (text) => {
  expect(() => urlPrefix(text)).toThrow(`${JSON.stringify(text)} is not an http or https URL`);
});

test('F4: an error does not repeat a password', () => {
  expect(() => urlPrefix('https://ann:secret@')).toThrow('"https://***@" is not an http or https URL');
});

describe('F4: a rewrite from A to B, then from B to A', () => {
  const random = seededRandom(16);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string;
  const some = (most: number, make: () => string): string =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, make).join('');
  const hosts = ['a.example', 'b.example', 'a.example.b.example', 'bücher.example', 'a.example:8443', '[::1]', 'x-a.example'];
  const words = ['shop', 'shopping', 'a', '%2F', 'ü', '.', '..', 'https:', 'a.example', '@', ';', '\\', '', ' ', 'e=1'];
  const path = (): string => some(3, () => `/${pick(words)}`);
  const tail = (): string =>
    `${path()}${some(1, () => '/')}${some(1, () => `?${pick(words)}&${path()}`)}${some(1, () => `#${path()}`)}`;
  const prefix = (slash: string): string => `${pick(['http', 'https'])}://${pick(hosts)}${path().replace(/[/\\]+$/, '')}${slash}`;

  test('restores every byte of every URL that did not begin with B', () => {
    let rewritten = 0;
    for (let trial = 0; trial < 20_000; trial += 1) {
      const slash = pick(['', '/']);
      const [a, b] = [prefix(slash), prefix(slash)];
      const url = random() < 0.7 ? `${a}${tail()}` : `${pick(['http', 'https'])}://${pick(hosts)}${tail()}`;
      if (urlPrefix(b).matches(url)) continue;
      const there = urlPrefix(a).replace(url, b);
      if (there === undefined) continue;
      rewritten += 1;
      const back = urlPrefix(b).replace(there, a);
      // The path of `https://a.example` is empty, and has its slash afterwards where A has it.
      const exact = url.startsWith(a) ? (text: string) => text : canonicalUrl;
      expect([a, b, url, exact(back ?? '')]).toEqual([a, b, url, exact(url)]);
    }
    expect(rewritten).toBeGreaterThan(5000);
  });
});
