import { describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';

const answer = (...domains: object[]) => ({ answer: { body: { error: { code: 0, message: '' }, version: '3.1', domains } } });

test('GET /domains: all fields in a pipe', async ({ linkctl, wire }) => {
  expect(await linkctl(['domains'])).toEqual({
    code: 0,
    stdout: 'localhost\tdefault\tfalse\t303\trandom\trestricted\t\t\n',
    stderr: '',
  });
  expect(await sent(wire)).toEqual([{ call: 'GET /domains', body: undefined }]);
});

test('CLI 3.7: a table marks the default domain, and shows an international name in both forms (B97)', async ({
  linkctl,
  wire,
}) => {
  await wire.script([
    answer(
      { domain: 's.ex', status: 'active', use_https: true, redirect_code: 303, hash_generation: 'random' },
      { domain: 'xn--bcher-kva.example:8080', status: 'default', use_https: false, redirect_code: '301' },
    ),
  ]);
  const ran = await linkctl(['domains'], { terminal: { stdout: true }, columns: 120, env: { NO_COLOR: '1' } });
  expect(ran.stdout.split('\n')).toEqual([
    'DOMAIN                                              STATUS   HTTPS  CODE  GENERATION',
    '  s.ex                                              active   true   303   random',
    '* bücher.example:8080 (xn--bcher-kva.example:8080)  default  false  301',
    '',
  ]);
});

test('B97: JSON and tsv have a name as the server sent it', async ({ linkctl, wire }) => {
  await wire.script([answer({ domain: 'xn--bcher-kva.example' }), answer({ domain: 'xn--bcher-kva.example', owner: 'ann' })]);
  expect((await linkctl(['domains', '--fields', 'domain'])).stdout).toBe('xn--bcher-kva.example\n');
  expect((await linkctl(['domains', '-o', 'json'])).stdout).toBe(
    '{"domains":[{"domain":"xn--bcher-kva.example","owner":"ann"}]}\n',
  );
});

test('B95: domains keeps the names for TAB', async ({ linkctl }) => {
  await linkctl(['-p', 'sandbox', 'domains']);
  expect((await linkctl(['__complete', '-p', 'sandbox', 'list', '--domain', 'lo'])).stdout).toContain('localhost');
});

describe('edition b', () => {
  test.override({ edition: 'b' });

  test('B53: domains is refused without a request', async ({ linkctl, wire }) => {
    expect(await linkctl(['domains'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: this server (edition B) has no domains endpoint\nhint: to see the domain of the account: linkctl account\n',
    });
    expect(await wire.requests()).toEqual([]);
  });
});
