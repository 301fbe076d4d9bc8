import { Command } from 'commander';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { createLaunch } from '../../src/cli/invocation.ts';
import { createRunner, type Work } from '../../src/cli/runner.ts';
import { createTestSystem } from '../support/test-system.ts';

const nothing = { kind: 'done', sentence: '', record: {} } as const;

/** Runs a command that leaves three things to clear away, of which two cannot be; says what it ended with, and what was cleared. */
async function clearing(work: Work<object>): Promise<{ failure: unknown; cleared: string[] }> {
  const cleared: string[] = [];
  const run = createRunner(createLaunch([], createTestSystem()))(async (options: object, invocation, operands) => {
    for (const name of ['first', 'second', 'third']) {
      invocation.atEnd(async () => {
        if (name !== 'second') throw new Error(`the ${name} cannot be cleared away`);
        cleared.push(name);
      });
    }
    return await work(options, invocation, operands);
  });
  return { failure: await run.call(new Command()).catch((error: unknown) => error), cleared };
}

test('D42: what cannot be cleared away at the end hinders nothing after it, and is reported', async () => {
  const { failure, cleared } = await clearing(async () => nothing);
  expect(cleared).toEqual(['second']);
  expect(failure).toEqual(new Error('the third cannot be cleared away'));
});

test('D42: why a command failed is reported, not what could not be cleared away then', async () => {
  const why = new UsageError('expected another word');
  const { failure, cleared } = await clearing(() => Promise.reject(why));
  expect({ failure, cleared }).toEqual({ failure: why, cleared: ['second'] });
});
