import { afterEach, expect, test } from 'vitest';
import { needs } from './support/tools.ts';

const { PATH, CI } = process.env;
afterEach(() => {
  process.env.PATH = PATH;
  if (CI === undefined) delete process.env.CI;
  else process.env.CI = CI;
});

test('D57: where CI is set a missing tool fails the test that needs it', () => {
  process.env.CI = 'true';
  process.env.PATH = import.meta.dirname;
  expect(() => needs('strace', 'bash')).toThrow('strace, bash not installed, and where CI is set no test is skipped');
});
