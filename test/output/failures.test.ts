import { describe, expect, test } from 'vitest';
import { LocalError, NotFoundError, UsageError } from '../../src/base/errors.ts';
import { exitCodeOf, type FailureOptions, printFailure } from '../../src/output/failure-lines.ts';
import { ClosedPipe } from '../../src/output/writer.ts';
import { createWorld, type WorldOptions } from './world.ts';

async function told(error: unknown, options: FailureOptions = {}, world: WorldOptions = {}): Promise<string> {
  const { streams, stdout, stderr } = createWorld(world);
  await printFailure(error, options, streams);
  await streams.release();
  expect(stdout.text).toBe('');
  return stderr.text;
}

const missing = new NotFoundError('no URL with the hash "abc"', { apiCode: 1306, hint: 'linkctl list', details: ['on s.ex'] });

describe('B45: an error is a line, its details, and a hint', () => {
  test('with the code of the service', async () => {
    expect(await told(missing)).toBe('error: no URL with the hash "abc" [API 1306]\non s.ex\nhint: linkctl list\n');
  });

  test('R-45: one line each, whatever strangers put into them', async () => {
    const error = new NotFoundError('no\nerror: fake\u001b[2J', { details: ['a\nb'], hint: 'c\rd' });
    expect(await told(error)).toBe('error: no\\nerror: fake\\x1b[2J\na\\nb\nhint: c\\rd\n');
  });

  test('B36: coloured where stderr is a terminal, whatever stdout is', async () => {
    expect(await told(new UsageError('no'), {}, { stderr: { isTTY: true } })).toBe('\u001b[31merror:\u001b[39m no\n');
    expect(await told(new UsageError('no'), {}, { stdout: { isTTY: true } })).toBe('error: no\n');
  });
});

describe('B49: with JSON it is one line of JSON', () => {
  test.each(['json', 'jsonl'] as const)('-o %s', async (format) => {
    expect(await told(missing, { format, profile: 'work' })).toBe(
      '{"error":{"code":5,"kind":"not_found","api_code":1306,"message":"no URL with the hash \\"abc\\"","details":["on s.ex"],"hint":"linkctl list","profile":"work"}}\n',
    );
  });

  test('without what is not known', async () => {
    expect(await told(new LocalError('no\u001b\u009b'), { format: 'json' })).toBe(
      '{"error":{"code":9,"kind":"local","message":"no\\u001b\\u009b"}}\n',
    );
  });
});

describe('B48: a bug of ours', () => {
  test('is reported without a stack trace, with the way to one and to us', async () => {
    expect(await told(new TypeError('x is not a function'))).toBe(
      [
        'error: internal error: x is not a function\n',
        'this is a bug in linkctl; please report it\n',
        'hint: to see where it happened, run the same command with --debug\n',
      ].join(''),
    );
  });

  test('with --debug shows where it happened, and why', async () => {
    const text = await told(new TypeError('outer', { cause: new Error('inner') }), { debug: true });
    expect(text).toMatch(/TypeError: outer\n {4}at .*\ncaused by Error: inner\n {4}at /s);
    expect(text).not.toContain('hint:');
  });

  test.each([
    [undefined, 'undefined'],
    ['text', 'text'],
    [Object.create(null), 'a value that is not an error was thrown'],
    [new Error(''), 'Error'],
  ])('may be anything: %#', async (thrown, message) => {
    expect(await told(thrown)).toContain(`error: internal error: ${message}\n`);
  });
});

test('B40: a reader that went away is no failure', async () => {
  expect(await told(new ClosedPipe(undefined))).toBe('');
  expect(exitCodeOf(new ClosedPipe(undefined))).toBe(0);
});

test('B33: the exit code is that of the failure, and 1 for a bug', () => {
  expect(exitCodeOf(missing)).toBe(5);
  expect(exitCodeOf(new TypeError('x'))).toBe(1);
});
