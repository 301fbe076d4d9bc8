import { expect, test } from 'vitest';
import { type BatchRules, batchesOf, byDomain, byHash, fileBatches } from '../../../src/bulk/operations/batches.ts';
import { linkText } from '../../../src/contract/link.ts';
import { parseHash } from '../../../src/input/hashes/parse-hash.ts';

const links = (...texts: string[]) => texts.map(parseHash);
const long = 'x'.repeat(3000);

test.each([
  ['4.1.7: a call is of one domain', ['b', 's.ex/a', 'a', 's.ex/b'], { limit: 9, ...byDomain }, ['b a', 's.ex/a s.ex/b']],
  ['B85: no call holds more than the bound', [...'abcde'], { limit: 2, ...byDomain }, ['a b', 'c d', 'e']],
  ['R-14: no address is too long', ['a', long, 'b'], { limit: 9, ...byHash }, [`a ${long} b`]],
  ['R-14: no address is too long', ['a', long, `${long}b`, 'c'], { limit: 9, ...byHash }, [`a ${long}`, `${long}b c`]],
  ['one link always goes', [long + long], { limit: 9, ...byHash }, [long + long]],
  ['nothing is no call', [], { limit: 9, ...byHash }, []],
])('%s', (_what, texts, rules: BatchRules<ReturnType<typeof parseHash>>, calls) => {
  expect([...batchesOf(links(...texts), rules)].map((call) => call.map(linkText).join(' '))).toEqual(calls);
});

test('D15: of a file as many rows are read as a call holds, and then parted by domain', async () => {
  const open = function* () {
    yield links('a', 's.ex/a', 'b').map((item, nth) => ({ line: nth + 1, item }));
    yield links('c', 's.ex/c').map((item, nth) => ({ line: nth + 4, item }));
  };
  const calls: string[] = [];
  for await (const call of fileBatches({ open }, (item) => item as ReturnType<typeof parseHash>, { limit: 3, ...byHash })) {
    calls.push(call.map(linkText).join(' '));
  }
  expect(calls).toEqual(['a b', 's.ex/a', 'c', 's.ex/c']);
});
