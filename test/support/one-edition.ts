import { createHash } from 'node:crypto';
import { beforeEach, type RunnerTask, type RunnerTestFile, type RunnerTestSuite } from 'vitest';

/**
 * Where `CI` is set, tests of both editions run on both. Elsewhere half of them run on A and half on B: editions differ in few calls, and
 * the other halves would take a fifth of the time of all tests.
 */
if (!process.env.CI) {
  beforeEach(({ task, skip }) => {
    if (isLeftOut(task)) skip('it runs on the other edition; CI=true runs both');
  });
}

const ofEdition = /\bedition [ab]\b/;
const titles = new WeakMap<RunnerTestFile, ReadonlySet<string>>();

/** Returns true for a test of one edition if its twin is to run. */
function isLeftOut({ fullTestName: title = '', file }: Readonly<RunnerTask>): boolean {
  if (!ofEdition.test(title)) return false;
  const twins = ['a', 'b'].map((edition) => title.replace(ofEdition, `edition ${edition}`));
  const all = titles.get(file) ?? new Set(titlesOf(file));
  titles.set(file, all);
  if (!twins.every((twin) => all.has(twin))) return false;
  const [byte = 0] = createHash('sha256').update(twins.join()).digest();
  return title !== twins[byte % 2];
}

function titlesOf({ tasks }: Readonly<RunnerTestSuite>): string[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? titlesOf(task) : [task.fullTestName ?? '']));
}
