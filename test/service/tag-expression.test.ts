import { describe, expect } from 'vitest';
import { parseTagExpression, type TagExpression } from '../../src/service/api/tag-expression.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Client, many, test } from './running-service.ts';

describe('tag expressions (FIELD-NOTES 23 to 25)', () => {
  test.for([
    ['banana', 'banana'],
    ['+banana', 'banana'],
    ['~banana', '~banana'],
    ['-banana', '~banana'],
    ['~~banana', '~~banana'],
    ['+banana&+boxed', '(banana and boxed)'],
    ['a,b;c&d', '(a and b and c and d)'],
    ['a|b&c', '(a or (b and c))'],
    ['a^b&c|d', '((a xor (b and c)) or d)'],
    ['(banana|boxed)&(fresh|~premium)', '((banana or boxed) and (fresh or ~premium))'],
    ['~(a|b)', '~(a or b)'],
    ['-(a)', '~a'],
    ['  a  &  new york ', '(a and new york)'],
    ['new-york & c++', '(new-york and c++)'],
    ['"a&b"|"say ""hi"""', '(a&b or say "hi")'],
    ['"-x"', '-x'],
    ['""""', '"'],
    ['>2018-01-01&<2018-02-01', '(after 2018-01-01 and before 2018-02-01)'],
    ['-> 2018-01-01', '~after 2018-01-01'],
  ] as const)('%s is %s', ([text, meaning]) => {
    const expression = parseTagExpression(text);
    expect(expression && describeExpression(expression)).toBe(meaning);
  });

  test.for([
    '',
    ' ',
    '&',
    'a&',
    '&a',
    'a||b',
    '(a',
    'a)',
    '()',
    'a b(',
    'a~b',
    '"a',
    'a"b"',
    '+',
    '~',
    '>yesterday',
    '>2018-02-30',
    'a "b"',
    '(a)(b)',
    '""',
    '-""',
    '~+""',
    'a|" "',
    '"\t"&a',
  ])('%j is malformed', (text) => {
    expect(parseTagExpression(text)).toBeUndefined();
  });

  test('an expression beyond all measure is malformed, not a crash', () => {
    expect(parseTagExpression(many(101, () => 'a').join('&'))).toBeUndefined();
    expect(parseTagExpression('~'.repeat(60_000).concat('a'))).toBeUndefined();
    expect(parseTagExpression('('.repeat(60_000))).toBeUndefined();
    expect(parseTagExpression('+'.repeat(60_000))).toBeUndefined();
  });

  test('the largest expression that is read can also be answered', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/1', custom_hash: 'one', tags: ['a'] });
    const wide = many(100, (index) => (index === 50 ? 'a' : `x${index}`)).join('|');
    const deep = `${'(~'.repeat(23)}a${')'.repeat(23)}`;
    const mixed = `${many(20, (index) => `(a^(b&~c${index})|`).join('')}a${')'.repeat(20)}`;
    expect(await client.hashes(`?tags=${encodeURIComponent(wide)}`)).toEqual(['one']);
    expect(await client.hashes(`?tags=${encodeURIComponent(`~${deep}`)}`)).toEqual(['one']);
    expect(await client.hashes(`?tags=${encodeURIComponent(mixed)}`)).toEqual(['one']);
  });

  test('100 random expressions select what a truth table says, in page and count', async ({ client }) => {
    const labels = ['a', 'b', 'c', 'email_stats'];
    const combinations = many(16, (bits) => labels.filter((_, index) => (bits >> index) & 1));
    await client.shorten(
      ...combinations.map((all, bits) => {
        const fields = { long_url: `https://example.com/${bits}`, custom_hash: `h${bits}` };
        return { ...fields, tags: all.filter((label) => label !== 'email_stats'), email_stats: all.includes('email_stats') };
      }),
    );
    const random = seededRandom(20240515);
    for (let round = 0; round < 100; round++) {
      const text = randomExpression(random, labels, 4);
      const expression = parseTagExpression(text);
      if (!expression) throw new Error(`malformed: ${text}`);
      const expected = combinations.flatMap((tags, bits) => (holds(expression, new Set(tags)) ? [`h${bits}`] : [])).reverse();
      await expectSelection(client, text, expected, round);
    }
  });
});

/** In each round another one of the queries that differ: by a column, by a hash, and of a search. */
async function expectSelection(client: Client, text: string, expected: readonly string[], round: number): Promise<void> {
  const tags = encodeURIComponent(text);
  const { body } = await client.call('GET', `/urls?tags=${tags}`);
  expect({ text, hashes: body.urls.map((url) => url.hash) }).toEqual({ text, hashes: expected });
  const found = expected.filter((hash) => hash.startsWith('h1'));
  const variants = [
    ['order_by=clicks', expected],
    ['order_by=hash', [...expected].sort()],
    ['search=H1', found],
    ['search=H1&order_by=hash', [...found].sort()],
  ] as const;
  const [query, all] = variants[round % variants.length] ?? variants[0];
  // A page that is not the last makes the service count.
  const part = await client.call('GET', `/urls?tags=${tags}&limit=1&${query}`);
  expect({ text, query, total: part.body.page.total_count }).toEqual({ text, query, total: all.length });
  expect({ text, query, first: part.body.urls[0]?.hash }).toEqual({ text, query, first: all[0] });
}

function holds(expression: TagExpression, tags: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case 'label':
      return tags.has(expression.label);
    case 'created':
      throw new Error('no dates here');
    case 'not':
      return !holds(expression.operand, tags);
    case 'and':
      return expression.operands.every((operand) => holds(operand, tags));
    case 'or':
      return expression.operands.some((operand) => holds(operand, tags));
    case 'xor':
      return expression.operands.filter((operand) => holds(operand, tags)).length % 2 === 1;
  }
}

function randomExpression(random: () => number, labels: readonly string[], depth: number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  if (depth === 0 || random() < 0.2) return pick(['', '', '+', '~', '-']) + pick([...labels, 'nosuch']);
  const operands = many(1 + Math.floor(random() * 3), () => randomExpression(random, labels, depth - 1));
  return `${pick(['', '~'])}(${operands.join(pick(['&', ',', ';', '|', '^']))})`;
}

function describeExpression(expression: TagExpression): string {
  switch (expression.kind) {
    case 'label':
      return expression.label;
    case 'created':
      return `${expression.side} ${expression.date}`;
    case 'not':
      return `~${describeExpression(expression.operand)}`;
    default:
      return `(${expression.operands.map(describeExpression).join(` ${expression.kind} `)})`;
  }
}
