import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect } from 'vitest';
import { wholeProgram } from '../../src/cli/program.ts';
import { startProgram } from '../support/built-program.ts';
import { apiKey, sent, test } from '../support/linkctl.ts';
import { needs } from '../support/tools.ts';

const root = await wholeProgram();
const commands = withChildren(root);

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)];
}

describe('flags', () => {
  test('B2: -h is help and nothing else, with every command', async ({ linkctl }) => {
    for (const command of commands) {
      expect(command.options.filter(({ short }) => short === '-h')).toEqual([]);
      const path = command.parent ? [...(command.parent.parent ? [command.parent.name()] : []), command.name()] : [];
      expect(await linkctl([...path, '-h'])).toEqual(await linkctl([...path, '--help']));
    }
  });

  test('B10: no flag has a value that may be left out', () => {
    for (const { options } of commands) expect(options.filter(({ optional }) => optional)).toEqual([]);
  });

  test('B9: no flag takes all the words behind it', () => {
    for (const { options } of commands) expect(options.filter(({ variadic }) => variadic)).toEqual([]);
  });

  test.for([
    ['list --timeout', '0.001', '0.0001', '1e3', '3000000'],
    ['list --max-time', '0.001', '0', '-1', '2147484'],
    ['list --max-wait', '0', '-1', '1e3', '2147484'],
    ['log --follow --interval', '0.001', '0.0001', 'soon', '3000000'],
  ] as const)('B11: %s takes seconds from %s, and says so', async ([line, least, ...values], { linkctl, wire }) => {
    const words = line.split(' ');
    for (const value of values) {
      expect(await linkctl([...words.slice(0, -1), `${words.at(-1)}=${value}`])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`expected seconds from ${least} to 2147483, got "${value}"`),
      });
    }
    expect(await sent(wire)).toEqual([]);
  });

  test('B11, B75: the longest timeout works, and a variable has the bounds of its flag', async ({ linkctl }) => {
    expect(await linkctl(['list', '--timeout', '2147483', '--max-wait', '2147483'])).toMatchObject({ code: 0, stderr: '' });
    expect(await linkctl(['list'], { env: { LINKCTL_TIMEOUT: '0.0001' } })).toMatchObject({
      code: 2,
      stderr: 'error: LINKCTL_TIMEOUT: expected seconds from 0.001 to 2147483, got "0.0001"\n',
    });
  });

  test('B64: no flag takes a secret, and none is taken for one', async ({ linkctl, wire }) => {
    // Both take the path of a file.
    const paths = ['--api-key-file', '--tls-key'];
    const takers = commands.flatMap(({ options }) => options.filter(({ required }) => required).map(({ long }) => long));
    const secret = takers.filter((long) => long && /key|password|secret|token/.test(long));
    expect([...new Set(secret)]).toEqual(paths);
    expect(await linkctl(['list', '--api-key', apiKey])).toMatchObject({ code: 2 });
    expect(await sent(wire)).toEqual([]);
  });
});

/** What everybody on the machine may read of a process. */
function argumentsOf(processId = 0): string {
  const path = `/proc/${processId}/cmdline`;
  if (existsSync(path)) return readFileSync(path, 'utf8');
  needs('ps');
  return execFileSync('ps', ['-o', 'args=', '-p', String(processId)], { encoding: 'utf8' });
}

test('B64: nobody sees the key in the list of processes', async ({ env, wire }) => {
  await wire.script([{ held: true }]);
  const listing = startProgram(['list'], env);
  await wire.held();
  const seen = argumentsOf(listing.process.pid);
  expect(seen).toContain('list');
  expect(seen).not.toContain(apiKey);
  await wire.release();
  await listing.ended;
});

describe('B32: stdout holds what was asked for and nothing else', () => {
  test.for([
    ['shorten', 'https://a.example/'],
    ['shorten', '-f', '-', '--progress', 'plain'],
    ['list', '--limit', '1'],
    ['stats'],
    ['tags'],
    ['domains'],
    ['log', '--since', '2001-01-01'],
    ['account'],
    ['auth', 'status'],
    ['config', 'list'],
    ['runs', 'list'],
    ['delete', 'a', '-n'],
  ])('%j', async (argv, { linkctl }) => {
    await linkctl(['shorten', 'https://a.example/', '--hash', 'a', '--tag', 't']);
    await linkctl(['shorten', 'https://b.example/']);
    const stdin = 'https://c.example/\nhttps://d.example/\n';
    const { code, stdout, stderr } = await linkctl([...argv, '-o', 'json', '-v', '--debug'], {
      stdin,
      terminal: { stderr: true },
    });
    expect({ code, lines: stdout.split('\n').length }).toEqual({ code: 0, lines: 2 });
    expect(JSON.parse(stdout)).toBeTypeOf('object');
    expect(stderr).not.toContain(apiKey);
  });
});
