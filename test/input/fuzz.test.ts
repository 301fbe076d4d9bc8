import { expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import type { InputFormat, InputUse } from '../../src/contract/formats.ts';
import { checkInput } from '../../src/input/check-input.ts';
import { inputTemplate } from '../../src/input/template.ts';
import { memorySource, optionsFor, seeded } from './fixtures.ts';

const url = 'https://example.com/';
const seeds: readonly (readonly [InputUse, InputFormat, string])[] = [
  ['shorten', 'csv', `${inputTemplate('shorten', 'a', 'csv')}${url},x1,"a\r\n""b""","t,""u,v""",2030-01-01,no,3\n${url},,,,,,\n`],
  ['edit', 'csv', `${inputTemplate('edit', 'a', 'csv')}def,,${url},é😀,+a,,,\n`],
  ['shorten', 'jsonl', `${inputTemplate('shorten', 'a', 'jsonl')}{"long_url":"${url}","tags":["a"],"note":"\\u00e9"}\n`],
  ['edit', 'jsonl', `${inputTemplate('edit', 'a', 'jsonl')}{"hash":"b","note":""}\n`],
  ['shorten', 'lines', `# list\n${url}\r\n${url}a\n`],
];
const pieces = [
  '"',
  ',',
  '\n',
  '\r',
  '\r\n',
  ';',
  '\t',
  '\0',
  '\ufeff',
  '\u2028',
  "'",
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  '-1',
  '1e999',
  '__proto__',
  'null',
  '""',
];

/** One file of the seeds with up to eight bytes or pieces changed, cut, doubled or put in. */
function mutated(random: () => number, text: string): Buffer {
  const below = (bound: number) => Math.floor(random() * bound);
  let bytes = Buffer.from(text);
  for (let change = below(8); change >= 0; change -= 1) {
    const start = below(bytes.length + 1);
    const end = Math.min(bytes.length, start + below(12));
    const put = [
      Buffer.from(pieces[below(pieces.length)] ?? ''),
      Buffer.from([below(256)]),
      Buffer.from(bytes.subarray(start, end)),
      Buffer.alloc(0),
    ][below(4)] as Buffer;
    bytes = Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(random() < 0.5 ? start : end)]);
  }
  return bytes;
}

/** `npm run fuzz` asks for 20,000 (G12). */
const count = Number(process.env.LINKCTL_FUZZ_FILES ?? 1000);
const seed = Number(process.env.LINKCTL_FUZZ_SEED ?? 12);

test(`G12: ${count} mutated files are read or refused with a sentence, never a crash`, async () => {
  const random = seeded(seed);
  let passed = 0;
  for (let run = 0; run < count; run += 1) {
    const [use, format, text] = seeds[run % seeds.length] as (typeof seeds)[number];
    const bytes = mutated(random, text);
    const cut = Math.floor(random() * bytes.length);
    const source = memorySource('links', [bytes.subarray(0, cut), bytes.subarray(cut)]);
    const edition = random() < 0.5 ? 'a' : 'b';
    try {
      const { rows } = await checkInput(source, optionsFor(use, { format, edition, formulaGuarded: random() < 0.5 }));
      expect(rows).toBeGreaterThan(0);
      passed += 1;
    } catch (error) {
      expect(error, bytes.toString('latin1')).toBeInstanceOf(CliError);
      expect((error as CliError).exitCode).toBe(2);
    }
  }
  // Both ways out must have been taken, or the mutations test nothing.
  expect(passed).toBeGreaterThan(count * 0.05);
  expect(passed).toBeLessThan(count * 0.95);
}, 600_000);
