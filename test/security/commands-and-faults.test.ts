import { afterAll, describe, expect, test } from 'vitest';
import { startFaultyServer } from '../support/faulty-server.ts';
import { type Cell, openCell } from './cell.ts';
import { type Subject, subjects } from './command-table.ts';
import { applicationFaults, type Fault, transportFaults } from './fault-table.ts';

const target = await startFaultyServer();
const cells = await Promise.all(subjects.map(async (subject) => ({ subject, cell: await openCell(subject) })));
afterAll(async () => {
  for (const { cell } of cells) await cell.close();
  await target.close();
});

const faults: readonly Fault[] = [...transportFaults(target.origin), ...applicationFaults];

function expected({ name, changes }: Subject, { read, change, except }: Fault): object {
  return { exit: except?.[name] ?? (changes ? change : read), violations: [] };
}

async function expectCell(subject: Subject, cell: Cell, fault: Fault): Promise<void> {
  const seen = await cell.observe(fault.steps ?? [], { ...fault.options, slow: fault.slow });
  expect(seen, `${subject.name}: ${seen.stderr}`).toMatchObject(expected(subject, fault));
  // G9: each attempt ends after the second of --timeout, or twice that for a body.
  expect(seen.stderr, subject.name).not.toMatch(fault.slow ? /within (?![12] s\b)/ : /within \d+ s\b/);
}

describe(`G13: ${subjects.length} commands x ${faults.length} faults = ${subjects.length * faults.length} cells`, () => {
  describe.each(cells)('$subject.name', ({ subject, cell }) => {
    test('nothing goes wrong: exit 0', async () => {
      expect(await cell.observe([])).toMatchObject({ exit: 0, violations: [] });
    });

    test.each(faults.filter(({ slow }) => !slow))('$name', (fault) => expectCell(subject, cell, fault));
  });

  test.each(faults.filter(({ slow }) => slow))('every command: $name', async (fault) => {
    await Promise.all(cells.map(({ subject, cell }) => expectCell(subject, cell, fault)));
  });

  test('F14, R-37: the server that redirects named has seen nothing', async () => {
    expect(await target.requests()).toEqual([]);
  });
});
