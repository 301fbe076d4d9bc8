import { afterAll, expect, test } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { pathsIn, withMember } from './answer-changes.ts';
import { type Cell, openCell } from './cell.ts';
import { goodAnswer, type Subject, subjects } from './command-table.ts';

/** `npm run fuzz` asks for 100,000 (G12). */
const count = Number(process.env.LINKCTL_FUZZ_ANSWERS ?? 500);
const seed = Number(process.env.LINKCTL_FUZZ_SEED ?? 11);

const openCells = () => Promise.all(subjects.map(async (subject) => ({ subject, cell: await openCell(subject) })));
let cells = await openCells();
const closeCells = async (): Promise<void> => {
  for (const { cell } of cells) await cell.close();
};
afterAll(closeCells);

const statuses = [200, 200, 200, 200, 200, 201, 204, 302, 400, 401, 404, 413, 429, 500, 503];
const codes = [0, 0, 101, 1102, 1204, 1215, 1219, 1220, 1221, 1300, 1301, 1303, 1306, 1308, 1309, 1313, 9999];
const pieces = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\0',
  '\u001b[2J',
  '\u202e',
  '\ufeff',
  '1e999',
  '-1',
  'null',
  '\ud800',
  '__proto__',
];
const outputs = [
  { flags: ['--no-color'], terminal: { stdout: true, stderr: true } },
  { flags: ['-o', 'json'] },
  { flags: ['-o', 'tsv', '-v'] },
  { flags: ['-o', 'jsonl', '-q'] },
];

type Random = () => number;
const below = (random: Random, bound: number): number => Math.floor(random() * bound);
const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

/** A value that no document shows. */
function oddValue(random: Random): unknown {
  const text = Array.from({ length: below(random, 6) }, () => pick(random, pieces)).join('');
  const numbers = [0, -1, 0.5, 1e21, Number.MAX_SAFE_INTEGER, below(random, 1e6)];
  const nested = Array.from({ length: below(random, 3) }, () => ({
    [text]: text,
    error: { code: pick(random, codes), message: text },
  }));
  return pick<unknown>(random, [
    undefined,
    null,
    true,
    text,
    text.repeat(below(random, 300)),
    pick(random, numbers),
    nested,
    { [text]: nested },
  ]);
}

/** Members changed while it is an object, then text changed, so that not every answer ends at the first look. */
function mutated(random: Random, { call }: Subject): { status: number; body: string } {
  let answer = goodAnswer(call);
  for (let change = below(random, 3); change > 0; change -= 1) {
    const paths = pathsIn(answer);
    if (paths.length > 0) answer = withMember(answer, pick(random, paths), oddValue(random));
  }
  if (random() < 0.3)
    answer = { ...answer, error: { code: pick(random, codes), message: oddValue(random), details: oddValue(random) } };
  let body = JSON.stringify(answer);
  for (let change = random() < 0.4 ? below(random, 4) : 0; change > 0; change -= 1) {
    const start = below(random, body.length);
    body =
      body.slice(0, start) +
      pick(random, [pick(random, pieces), body.slice(start, start + 9), '']) +
      body.slice(start + below(random, 9));
  }
  return { status: pick(random, statuses), body };
}

const known = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);

async function observe(random: Random, { subject, cell }: { subject: Subject; cell: Cell }, run: number): Promise<number> {
  const answer = mutated(random, subject);
  const options = pick(random, outputs);
  const isRaw = subject.name === 'api';
  const seen = await cell.observe([{ answer }], isRaw ? outputs[0] : options);
  const what = { run, command: subject.name, answer, stderr: seen.stderr };
  expect({ ...what, violations: seen.violations, known: known.has(seen.exit) }).toEqual({ ...what, violations: [], known: true });
  return seen.exit;
}

test(`G12, G11: ${count} mutated answers end in an answer or a sentence, never in a crash or a hang; memory stays`, async () => {
  const random = seededRandom(seed);
  const exits = new Map<number, number>();
  let early = 0;
  for (let run = 0; run < count; run += 1) {
    const exit = await observe(random, pick(random, cells), run);
    exits.set(exit, (exits.get(exit) ?? 0) + 1);
    if (run === Math.floor(count / 5)) early = process.memoryUsage().rss;
    // The scripted servers keep all that they were asked and told.
    if (run % 1000 === 999) {
      await closeCells();
      cells = await openCells();
    }
  }
  const grown = (process.memoryUsage().rss - early) / 2 ** 20;
  if (count > 10_000)
    console.log(`exit codes ${JSON.stringify([...exits].sort())}, ${Math.round(grown)} MiB more than after a fifth`);
  expect(grown).toBeLessThan(150);
  // Both ways out must have been taken, or the mutations test nothing.
  expect(exits.get(0)).toBeGreaterThan(count / 20);
  expect(exits.get(8)).toBeGreaterThan(count / 20);
}, 3_600_000);
