import { describe, expect, test } from 'vitest';
import { readBrackets } from '../../src/service/api/bodies.ts';

describe('names of form fields', () => {
  test.each([
    ['label=x', { label: 'x' }],
    ['label=x&label=y', { label: 'y' }],
    ['urls[0][long_url]=u', { urls: [{ long_url: 'u' }] }],
    ['urls[][long_url]=u&urls[][long_url]=v', { urls: [{ long_url: 'u' }, { long_url: 'v' }] }],
    ['urls[0][tags][]=x&urls[0][tags][]=y', { urls: [{ tags: ['x', 'y'] }] }],
    ['urls[0][tags][1]=y&urls[0][tags][0]=x', { urls: [{ tags: ['x', 'y'] }] }],
    ['urls[1000000000][note]=far', { urls: [{ note: 'far' }] }],
    ['urls[a][note]=x', { urls: { a: { note: 'x' } } }],
    ['urls=text&urls[0][note]=x', { urls: [{ note: 'x' }] }],
    ['urls[0][note]=a%5Bb%5D', { urls: [{ note: 'a[b]' }] }],
    ['urls[0=x&[0]=x&urls]0[=x&a[b]c=x', {}],
    ['a[b][c][d][e][f]=too deep', {}],
  ])('%s', (text, expected) => {
    // Without prototypes on one side, a comparison by value needs both as JSON.
    expect(JSON.parse(JSON.stringify(readBrackets([...new URLSearchParams(text)])))).toEqual(expected);
  });

  test('__proto__ is a name like any other', () => {
    const form = readBrackets([
      ['urls[0][__proto__][long_url]', 'https://example.com/'],
      ['__proto__[x]', '1'],
    ]);
    expect('x' in form).toBe(false);
    const [item] = form.urls as { [name: string]: unknown }[];
    expect(item && 'long_url' in item).toBe(false);
  });
});
