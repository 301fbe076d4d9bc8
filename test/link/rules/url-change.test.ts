import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { type Rewritten, type UrlRule, urlChange } from '../../../src/link/rules/url-change.ts';
import {
  hostRule,
  httpsRule,
  parameterRule,
  patternRule,
  prefixRule,
  removalRule,
  utmRules,
} from '../../../src/link/rules/url-rules.ts';
import { canonicalUrl } from '../../../src/link/value.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const limits = {
  fault: (longUrl: string) => (longUrl.length > 200 ? 'is too long' : longUrl.includes(' ') ? 'is not a valid URL' : undefined),
  isOwnHost: (host: string) => host === 's.ex',
};

function rewritten(rules: readonly UrlRule[], longUrl: string): Rewritten {
  return urlChange(rules, limits)(longUrl);
}

/** The new URL; the old one where nothing changes. */
function textAfter(rules: readonly UrlRule[], longUrl: string): string {
  const result = rewritten(rules, longUrl);
  return result.kind === 'unchanged' ? longUrl : result.kind === 'changed' ? result.longUrl : `refused: ${result.reason}`;
}

const unchanged = 'the same';

/** Each rule with URLs and what it makes of them. */
const table: readonly (readonly [name: string, rules: readonly UrlRule[], cases: readonly (readonly [string, string])[]])[] = [
  [
    'https://old.example/shop https://new.example/store',
    [prefixRule('https://old.example/shop', 'https://new.example/store')],
    [
      ['https://old.example/shop/1?a=%7e&b=%2F#Top', 'https://new.example/store/1?a=%7e&b=%2F#Top'],
      ['HTTPS://OLD.example:443/shop?x', 'https://new.example/store?x'],
      ['https://old.example/shopping', unchanged],
      ['https://b.example/?u=https://old.example/shop', unchanged],
      ['http://old.example/shop', unchanged],
    ],
  ],
  [
    'https://a.example https://a.example/new',
    [prefixRule('https://a.example', 'https://a.example/new')],
    [
      ['https://a.example/x', 'https://a.example/new/x'],
      ['https://a.example/new/x', unchanged],
      ['https://A.example/new', unchanged],
      ['https://a.example/news', 'https://a.example/new/news'],
    ],
  ],
  [
    'https://old.example https://new.example/?from=old',
    [prefixRule('https://old.example', 'https://new.example/?from=old')],
    [
      ['https://old.example', 'https://new.example/?from=old'],
      ['https://old.example#top', 'https://new.example/?from=old#top'],
      ['https://old.example/x', 'refused: the rest of the URL cannot follow https://new.example/?from=old'],
      ['https://old.example?x=1', 'refused: the rest of the URL cannot follow https://new.example/?from=old'],
    ],
  ],
  [
    'https://old.example/?id= https://new.example/p/',
    [prefixRule('https://old.example/?id=', 'https://new.example/p/')],
    [
      ['https://old.example/?id=5', 'https://new.example/p/5'],
      ['https://old.example/?id=&x=1', 'refused: the rest of the URL cannot follow https://new.example/p/'],
    ],
  ],
  [
    '--scheme https',
    [httpsRule],
    [
      ['http://a.example/x?u=http://b.example#http:', 'https://a.example/x?u=http://b.example#http:'],
      ['HTTP://A.example', 'https://A.example'],
      ['http://a.example:8080/x', 'https://a.example:8080/x'],
      ['http://a.example:80/x', 'https://a.example/x'],
      ['http://a.example:443/x', 'https://a.example:443/x'],
      ['http://ann:p@ss@a.example:80\\x', 'https://ann:p@ss@a.example\\x'],
      ['http://[::1]:80/x', 'https://[::1]/x'],
      ['https://a.example/x', unchanged],
      ['ftp://a.example/x', unchanged],
      ['http:a.example', unchanged],
    ],
  ],
  [
    '--host old.example=New.example',
    [hostRule('old.example=New.example')],
    [
      ['https://old.example', 'https://New.example'],
      ['https://OLD.Example:8443/old.example', 'https://New.example:8443/old.example'],
      ['http://old.example@old.example/x', 'http://old.example@New.example/x'],
      ['https://o%6Cd.example?x', 'https://New.example?x'],
      ['https://old.example\\x', 'https://New.example\\x'],
      ['https://old.example.evil/', unchanged],
      ['https://x.old.example/', unchanged],
      ['https://b.example/?u=https://old.example', unchanged],
      ['https://old.example@b.example/', unchanged],
    ],
  ],
  [
    '--host old.example:443=new.example:8443',
    [hostRule('old.example:443=new.example:8443')],
    [
      ['https://old.example/x', 'https://new.example:8443/x'],
      ['http://old.example:443/x', 'http://new.example:8443/x'],
      ['http://old.example/x', unchanged],
      ['https://old.example:444/x', unchanged],
    ],
  ],
  [
    '--host old.example:8080=new.example',
    [hostRule('old.example:8080=new.example')],
    [
      ['https://old.example:8080/x', 'https://new.example/x'],
      ['https://old.example/x', unchanged],
    ],
  ],
  [
    '--host bücher.example=[::1]',
    [hostRule('bücher.example=[::1]')],
    [
      ['https://xn--bcher-kva.example/x', 'https://[::1]/x'],
      ['https://BÜCHER.example:80/x', 'https://[::1]:80/x'],
    ],
  ],
  ['--host [::1]=a.example', [hostRule('[::1]=a.example')], [['http://[0:0::1]:90/x', 'http://a.example:90/x']]],
  [
    '--set-param ref=a b',
    [parameterRule('ref=a b')],
    [
      ['https://a.example', 'https://a.example?ref=a%20b'],
      ['https://a.example/x#top?ref=1', 'https://a.example/x?ref=a%20b#top?ref=1'],
      ['https://a.example/x?', 'https://a.example/x?ref=a%20b'],
      ['https://a.example/x?y', 'https://a.example/x?y&ref=a%20b'],
      ['https://a.example/x?y&', 'https://a.example/x?y&ref=a%20b'],
      ['https://a.example/x?&&y=%2f;z=+#', 'https://a.example/x?&&y=%2f;z=+&ref=a%20b#'],
      ['https://a.example/x?ref=1&y=2', 'https://a.example/x?ref=a%20b&y=2'],
      ['https://a.example/x?ref&y=2', 'https://a.example/x?ref=a%20b&y=2'],
      ['https://a.example/x?y=1&r%65f=1&z=2&ref=3&ref', 'https://a.example/x?y=1&r%65f=a%20b&z=2'],
      ['https://a.example/x?REF=1;ref=2', 'https://a.example/x?REF=1;ref=2&ref=a%20b'],
      ['https://a.example/x?ref=a+b', unchanged],
      ['https://a.example/x?ref=%61%20b', unchanged],
      ['https://a.example/x?ref=%E4', 'https://a.example/x?ref=a%20b'],
      ['mailto:me', unchanged],
    ],
  ],
  [
    '--set-param ü&=é%20&#%zz+50%=€',
    [parameterRule('ü&=é%20&#%zz+50%=€')],
    [['https://a.example', 'https://a.example?%C3%BC%26=%C3%A9%20%26%23%25zz+50%25=%E2%82%AC']],
  ],
  ['--set-param ref=', [parameterRule('ref=')], [['https://a.example/?ref=1', 'https://a.example/?ref=']]],
  [
    '--remove-param ref',
    [removalRule('ref')],
    [
      ['https://a.example/x?ref=1', 'https://a.example/x'],
      ['https://a.example/x?ref=1#top', 'https://a.example/x#top'],
      ['https://a.example/x?a=%7e&ref&b=+&re%66=2', 'https://a.example/x?a=%7e&b=+'],
      ['https://a.example/x?refs=1&xref=2&Ref=3', unchanged],
      ['https://a.example/x?a;ref=1', unchanged],
      ['https://a.example/x?#ref=1', unchanged],
      ['https://a.example/ref=1', unchanged],
    ],
  ],
  [
    '--remove-param utm_*',
    [removalRule('utm_*')],
    [
      ['https://a.example/?utm_source=a&x=1&utm_id=2&utm_=3', 'https://a.example/?x=1'],
      ['https://a.example/?utm%5Fsource=a', 'https://a.example/'],
      ['https://a.example/?utm=1&xutm_a=2', unchanged],
    ],
  ],
  [
    '--utm source=newsletter,medium=e mail',
    utmRules('source=newsletter,medium=e mail'),
    [
      ['https://a.example/x#top', 'https://a.example/x?utm_source=newsletter&utm_medium=e%20mail#top'],
      [
        'https://a.example/?utm_medium=old&q=%2f&utm_source=x',
        'https://a.example/?utm_medium=e%20mail&q=%2f&utm_source=newsletter',
      ],
      ['https://a.example/?utm_medium=e+mail&utm_source=newsletter', unchanged],
    ],
  ],
  [
    '--regex ^https://(\\w+)\\.old\\.example/ --to https://new.example/$1/',
    [patternRule('^https://(\\w+)\\.old\\.example/', 'https://new.example/$1/')],
    [
      ['https://shop.old.example/x?q=%7e', 'https://new.example/shop/x?q=%7e'],
      ['https://old.example/x', unchanged],
    ],
  ],
  [
    '--regex (?<host>\\w+)\\-b --to $<host>',
    [patternRule('(?<host>\\w+)\\-b', '$<host>')],
    [['https://a-b.example/', 'https://a.example/']],
  ],
  ['--regex (a+)+$ --to x', [patternRule('(a+)+$', 'x')], [[`https://h.test/${'a'.repeat(60)}!`, unchanged]]],
  ['--regex x --to y', [patternRule('x', 'y')], [['https://a.test/xx', 'https://a.test/yx']]],
  ['--regex \\?.* --to (nothing)', [patternRule('\\?.*', '')], [['https://a.example/?a=1#b', 'https://a.example/']]],
  ['--regex $ --to $$1', [patternRule('$', '?$$1')], [['https://a.example/', 'https://a.example/?$1']]],
];

describe.each(table)('W1: %s', (_, rules, cases) => {
  test.each(cases)('%s -> %s', (before, after) => {
    expect(textAfter(rules, before)).toBe(after === unchanged ? before : after);
  });
});

test.each([
  ['a.example', "$'", "https://$'/ab"],
  ['a.example', '$`', 'https://$`/ab'],
  ['a.example', '[$&]', 'https://[$&]/ab'],
  ['a.example', '$$1', 'https://$1/ab'],
  ['a.example', '$$$$', 'https://$$/ab'],
  ['(a)\\.(e)', '$2-$1$', 'https://e-a$xample/ab'],
  ['(?<host>a)\\.', '$<host>$<', 'https://a$<example/ab'],
  ['a(x)?\\.', '[$1]', 'https://[]example/ab'],
  ['(a)', '$10', 'https://a0.example/ab'],
  ['.*', 'https://b.example/', 'https://b.example/'],
  ['a', 'b', 'https://b.example/ab'],
])(
  'E29: of %s and %s, the first match is replaced, and only groups and a doubled dollar sign mean more than they are',
  (pattern, to, after) => {
    expect(textAfter([patternRule(pattern, to)], 'https://a.example/ab')).toBe(after);
  },
);

test('I7: UTM parameters that are there are replaced, and nothing else of the URL changes', () => {
  const before = 'https://a.example/%7ex?utm_medium=web&utm_medium=old&q=%2f+;&utm_term=t#a?b';
  const after = 'https://a.example/%7ex?utm_medium=mail&q=%2f+;&utm_term=t&utm_campaign=spring#a?b';
  expect(textAfter(utmRules('medium=mail,campaign=spring'), before)).toBe(after);
});

describe('W1: several rules', () => {
  const all = [
    prefixRule('http://old.example', 'http://new.example'),
    httpsRule,
    parameterRule('ref=x'),
    removalRule('utm_*'),
    ...utmRules('source=mail'),
    patternRule('x', 'y'),
  ];

  test('apply one after the other', () => {
    expect(textAfter(all, 'http://old.example/?utm_id=1')).toBe('https://new.eyample/?ref=x&utm_source=mail');
  });

  test('apply to no other links than those that a rule among them says', () => {
    const rules = [prefixRule('https://old.example', 'https://new.example'), ...utmRules('source=mail')];
    expect(rewritten(rules, 'https://other.example/')).toEqual({ kind: 'unchanged' });
    expect(rewritten([hostRule('a.example=b.example'), httpsRule], 'http://other.example/')).toEqual({ kind: 'unchanged' });
    expect(rewritten([httpsRule, patternRule('/old/', '/new/')], 'http://a.example/')).toEqual({ kind: 'unchanged' });
    expect(textAfter(rules, 'https://old.example/')).toBe('https://new.example/?utm_source=mail');
  });

  test('that undo each other change nothing', () => {
    const rules = [hostRule('a.example=b.example'), patternRule('//b\\.', '//a.')];
    expect(rewritten(rules, 'https://a.example/')).toEqual({ kind: 'unchanged' });
  });
});

describe('W2: refused is', () => {
  const toOwn = hostRule('old.example=S.EX');

  test.each([
    [
      'what is no valid URL',
      [patternRule('/x', '/ ')],
      'https://a.example/x',
      'https://a.example/ ',
      'the new URL is not a valid URL',
    ],
    [
      'what is too long',
      [parameterRule(`a=${'b'.repeat(200)}`)],
      'https://a.example',
      `https://a.example?a=${'b'.repeat(200)}`,
      'the new URL is too long',
    ],
    [
      'what leads to a domain of the account',
      [toOwn],
      'https://old.example/x',
      'https://S.EX/x',
      'the new URL leads to s.ex, a domain of the account',
    ],
  ])('%s', (_, rules, before, longUrl, reason) => {
    expect(rewritten(rules, before)).toEqual({ kind: 'refused', longUrl, reason });
  });

  test('not what led to a domain of the account before', () => {
    expect(textAfter([httpsRule], 'http://s.ex/x')).toBe('https://s.ex/x');
  });
});

describe('W1: no rule is', () => {
  test.each([
    ['an unknown prefix', () => prefixRule('old.example', 'https://a.example'), '"old.example" is not an http or https URL'],
    ['a prefix that stays', () => prefixRule('https://a.example', 'https://a.example'), '<from> and <to> are the same'],
    ['one host', () => hostRule('old.example'), '--host: expected old=new, two hosts without scheme and path, got "old.example"'],
    ['an address', () => hostRule('https://a.example=b.example'), '--host: expected old=new'],
    ['a path', () => hostRule('a.example=b.example/x'), '--host: expected old=new'],
    ['a pattern of hosts', () => hostRule('*.a.example=b.example'), '--host: expected old=new'],
    ['a user', () => hostRule('a.example=me@b.example'), '--host: expected old=new'],
    ['a port beyond all ports', () => hostRule('a.example=b.example:99999'), '--host: expected old=new'],
    ['the same host', () => hostRule('a.example=a.example'), '--host: both hosts are a.example'],
    ['a parameter without a name', () => parameterRule('=x'), '--set-param: expected name=value, got "=x"'],
    ['a parameter without a value', () => parameterRule('x'), '--set-param: expected name=value, got "x"'],
    [
      'removal of nothing',
      () => removalRule(''),
      '--remove-param: expected a name such as ref, or a prefix such as utm_*, got ""',
    ],
    ['removal of everything', () => removalRule('*'), '--remove-param: expected a name'],
    ['removal of a pattern', () => removalRule('a*b'), '--remove-param: expected a name'],
    ['removal of a value', () => removalRule('a=b'), '--remove-param: expected a name'],
    [
      'an unknown utm name',
      () => utmRules('source=x,utm_medium=y'),
      '--utm: unknown name "utm_medium"; expected one of source, medium, campaign, term, content',
    ],
    ['an empty utm value', () => utmRules('source='), '--utm: expected name=value, got "source="; a comma in a value is %2C'],
    ['a comma in a utm value', () => utmRules('source=a,b'), '--utm: expected name=value, got "b"; a comma in a value is %2C'],
    ['a utm name twice', () => utmRules('source=a,source=b'), '--utm: source is given twice'],
    ['a bad pattern', () => patternRule('(', ''), '--regex: "(" is not a regular expression: Unterminated group'],
    ['an empty pattern', () => patternRule('', 'x'), '--regex: the pattern is empty'],
    ['a group that is not there', () => patternRule('(a)', '$2'), '--to: --regex has no group 2'],
    ['a named group that is not there', () => patternRule('(?<host>a)', '$<hots>'), '--to: --regex has no group hots'],
    [
      'lookahead',
      () => patternRule('^(?=h)(\\w+\\w?)+$', 'x'),
      '--regex: "^(?=h)(\\\\w+\\\\w?)+$" could run for ever: lookaround such as (?=x), back references such as \\1 and repetitions above 16',
    ],
    ['a back reference', () => patternRule('(a+)\\1', 'x'), 'could run for ever'],
    ['a group of sed', () => patternRule('(a)', '\\1'), '--to: write $1 for group 1, not \\1'],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(UsageError);
    expect(make).toThrow(message);
  });
});

describe('W1: random URLs', () => {
  const random = seededRandom(1616);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string;
  const some = (most: number, make: () => string): string =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, make).join('');
  const words = [
    'shop',
    'a',
    '%2f',
    '%2F',
    '%E4',
    '%zz',
    'ü',
    '👍',
    'e\u0301',
    '.',
    ';',
    '+',
    '%20',
    '',
    '@',
    'https://old.example',
    '$1',
  ];
  const hosts = [
    'old.example',
    'OLD.example',
    'new.example',
    'bücher.example',
    'old.example:8443',
    'me:p@old.example',
    '[::1]:80',
  ];
  const parameter = (): string => `${pick([...words, 'utm_source', 'ref'])}${pick(['', '='])}${pick(words)}&`;
  const tail = (): string =>
    `${some(3, () => `/${pick(words)}`)}${some(1, () => `?${some(4, parameter)}`)}${some(1, () => `#${pick(words)}?ref=1`)}`;
  const anyUrl = (): string => `${pick(['http', 'https', 'HTTP'])}://${pick(hosts)}${tail()}`;
  const free = { fault: () => undefined, isOwnHost: () => false };
  const change = (rules: readonly UrlRule[], url: string): string => {
    const result = urlChange(rules, free)(url);
    return result.kind === 'changed' ? result.longUrl : url;
  };

  test('from A to B, then from B to A, are as they were, unless they began with B', () => {
    let changed = 0;
    for (let trial = 0; trial < 5000; trial += 1) {
      const slash = pick(['', '/']);
      const prefix = (): string => `${pick(['http', 'https'])}://${pick(hosts)}${pick(['', '/shop', '/ü', '/%2f/a'])}${slash}`;
      const [a, b] = [prefix(), prefix()];
      const url = random() < 0.6 ? a + tail() : anyUrl();
      if (a === b || change([prefixRule(b, 'https://moved.example')], url) !== url) continue;
      const there = change([prefixRule(a, b)], url);
      const back = change([prefixRule(b, a)], there);
      if (there !== url) changed += 1;
      const exact = url.startsWith(a) ? (text: string) => text : canonicalUrl;
      expect([a, b, url, exact(back)]).toEqual([a, b, url, exact(url)]);
    }
    expect(changed).toBeGreaterThan(1000);
  });

  test('from one host to another and back are the same but for the host', () => {
    for (let trial = 0; trial < 2000; trial += 1) {
      const url = `https://old.example${pick(['', ':8443'])}${tail()}`;
      const there = change([hostRule('OLD.example=fresh.example')], url);
      expect(there).toBe(`https://fresh.example${url.slice('https://old.example'.length)}`);
      expect(change([hostRule('fresh.example=old.example')], there)).toBe(url);
    }
  });

  test('that get a parameter and lose it again are as they were', () => {
    for (let trial = 0; trial < 5000; trial += 1) {
      const url = anyUrl();
      const there = change([parameterRule('zz top=1+%2f')], url);
      expect(there).toContain('zz%20top=1+%2f');
      expect(change([parameterRule('zz+top=1+%2F')], there)).toBe(there);
      // What was empty after the last "?" or "&" has been filled.
      expect(change([removalRule('zz top')], there)).toBe(
        url.replace(/[?&](?=#|$)/, (end) => (url.split('#')[0]?.endsWith(end) ? '' : end)),
      );
    }
  });
});
