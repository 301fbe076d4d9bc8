import { describe, expect, onTestFinished } from 'vitest';
import { runShell, startProgram } from '../support/built-program.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, runnerIn, sent, test, username } from '../support/linkctl.ts';
import { until } from '../support/until.ts';

/** Everything that prints and needs nothing but a server. */
const printing = [
  'list',
  'stats',
  'stats abc',
  'tags',
  'tags add promo',
  'domains',
  'log',
  'account',
  'auth status',
  'auth list',
  'config list',
  'config path',
  'runs list --header',
  'api GET /account',
  'completion bash',
  'help formats',
  '--help',
  '--version',
];
const reading = [
  'list',
  'list abc',
  'stats',
  'stats abc',
  'tags',
  'domains',
  'log',
  'log --follow',
  'account',
  'auth status',
  'api GET /urls',
];
/** Every read hears one signal, and some the others: all signals are heard at one place. */
const heard = [
  ['SIGINT', reading],
  ['SIGTERM', ['stats abc', 'log --follow']],
  ['SIGHUP', ['stats abc', 'log --follow']],
] as const;

const undoLine = /^to undo it: linkctl undo \S+$/m;
const post = { method: 'POST' };

/** The reader of its output has gone away before the first byte. */
const unread = (line: string): string => `set -o pipefail; $linkctl ${line} | (exec 0<&-; sleep 0.6)`;

async function withLink(linkctl: (argv: readonly string[]) => Promise<unknown>): Promise<void> {
  await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'abc', '--tag', 'promo']);
}

describe('R-20, B38: output that nobody can write', () => {
  test('to /dev/full: every command ends with exit 9 and one line', async ({ env, linkctl }) => {
    await withLink(linkctl);
    const runs = await Promise.all(printing.map((line) => runShell(`$linkctl ${line} > /dev/full`, env)));
    const stderr = 'error: cannot write output: no space left on device\n';
    expect(
      runs.map(({ code, stderr }, index) => ({
        line: printing[index],
        code,
        stderr: stderr.replace(/^(hint: .*|[01] of 1 tag added|to undo it: .*)\n/gm, ''),
      })),
    ).toEqual(printing.map((line) => ({ line, code: 9, stderr })));
  });

  test('a mutation that cannot print is reported as such, and was made', async ({ env, wire }) => {
    const ran = await runShell('$linkctl shorten https://nodejs.org/ > /dev/full', env);
    expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('cannot write output') });
    expect(await sent(wire)).toHaveLength(1);
  });

  test('B45, U6: the undo of a change whose output cannot be written names the profile that was typed', async ({ env }) => {
    const ran = await runShell('$linkctl -p sandbox shorten https://nodejs.org/ > /dev/full', env);
    expect(ran.stderr).toMatch(/^to undo it: linkctl -p sandbox undo \S+$/m);
  });

  test('B38, B40: a change whose output cannot be written is named, with its undo', async ({ env, linkctl }) => {
    await withLink(linkctl);
    for (const [line, done] of [
      ['shorten https://nodejs.org/x --hash new', /^created: http:\S+\/new$/m],
      ['edit abc --note x', /^changed: http:\S+\/abc$/m],
      ['delete abc --yes', /^deleted: \S+$/m],
    ] as const) {
      const ran = await runShell(`$linkctl ${line} > /dev/full`, env);
      expect(ran).toMatchObject({
        code: 9,
        stderr: expect.stringMatching(/^error: cannot write output: no space left on device$/m),
      });
      expect(ran.stderr).toMatch(done);
      expect(ran.stderr).toMatch(undoLine);
    }
    const added = await runShell('$linkctl tags add one two > /dev/full', env);
    expect(added).toMatchObject({ code: 9, stderr: expect.stringContaining('\n2 of 2 tags added\n') });
    const again = await runShell('$linkctl tags add one more two > /dev/full', env);
    expect(again).toMatchObject({ code: 9, stderr: expect.stringContaining('\n1 of 3 tags added\n') });
    expect(added.stderr).toMatch(undoLine);
    const renamed = await runShell('$linkctl tags rename one three > /dev/full', env);
    expect(renamed).toMatchObject({ code: 9, stderr: expect.stringContaining('\nRenamed tag "one" to "three"\n') });
    expect(renamed.stderr).toMatch(undoLine);
    const file = await runShell('echo https://nodejs.org/y | $linkctl shorten -f - > /dev/full', env);
    expect(file).toMatchObject({ code: 9, stderr: expect.stringMatching(/error: cannot write output.*\n1 row: 1 created/) });
    expect(file.stderr).toMatch(undoLine);
  });

  test('R-19: a closed stderr, or a full one, changes nothing about stdout and the exit code', async ({ env, linkctl }) => {
    await withLink(linkctl);
    for (const redirection of ['2>&-', '2>/dev/full']) {
      expect(await runShell(`$linkctl list --fields hash ${redirection}`, env)).toMatchObject({ code: 0, stdout: 'abc\n' });
      expect(await runShell(`$linkctl list --nonsense ${redirection}`, env)).toMatchObject({ code: 2, stdout: '' });
    }
  });

  test('a closed stdin matters to nobody who does not read it', async ({ env, linkctl }) => {
    await withLink(linkctl);
    expect(await runShell('$linkctl list --fields hash <&-', env)).toMatchObject({ code: 0, stdout: 'abc\n', stderr: '' });
    expect(await runShell('$linkctl shorten -f - <&-', env)).toMatchObject({ code: 2, stdout: '' });
  });

  // Node puts /dev/null in the place of a stream that is closed before our first line runs: nobody can tell it from "> /dev/null".
  test('a stdout that was closed before the start is no crash', async ({ env, linkctl }) => {
    await withLink(linkctl);
    // A read, a change, and what prints before there is a command: others differ from these in what they print.
    for (const line of ['list', 'tags add promo', '--version']) {
      expect(await runShell(`$linkctl ${line} >&-`, env), line).toMatchObject({
        stdout: '',
        stderr: expect.not.stringMatching(/^\s+at /m),
      });
    }
  });
});

test('R-19, B40: a reader that went away before the first byte is no failure of a read, and quiet', async ({ env, linkctl }) => {
  await withLink(linkctl);
  // One of each kind of output: rows by pages, records, a report, an answer as it came, our own files, a script, help.
  const reads = ['list', 'stats abc', 'log', 'account', 'api GET /account', 'auth list', 'completion bash', '--help'];
  const runs = await Promise.all(reads.map((command) => runShell(unread(command), env)));
  expect(runs.map(({ code, stderr }, index) => ({ line: reads[index], code, stderr }))).toEqual(
    reads.map((line) => ({ line, code: 0, stderr: '' })),
  );
});

test('R-19, B40: a read that reported a link that does not exist ends as if its output were read', async ({ env, linkctl }) => {
  await withLink(linkctl);
  const runs = ['list none', 'list abc none', 'stats abc none'].map(async (line) => {
    const [ran, whole] = await Promise.all([runShell(unread(line), env), runShell(`$linkctl ${line}`, env)]);
    expect(ran, line).toEqual({ ...whole, stdout: '' });
    return ran.code;
  });
  expect(await Promise.all(runs)).toEqual([5, 3, 3]);
});

test('B40: a change whose reader went away ends with exit 9, and says what was made and how to undo it', async ({ env }) => {
  for (const [line, done] of [
    ['shorten https://nodejs.org/1 https://nodejs.org/2', /^created: http:\S+\ncreated: http:\S+$/m],
    ['shorten https://nodejs.org/x --hash new', /^created: http:\S+\/new$/m],
    ['edit new --note x', /^changed: http:\S+\/new$/m],
    ['delete new --yes', /^deleted: \S+$/m],
    ['tags add one', /^1 of 1 tag added$/m],
    ['tags rename one two', /^Renamed tag "one" to "two"$/m],
    ['tags delete two --yes --max-affected 1', /^1 of 1 tag deleted$/m],
  ] as const) {
    const ran = await runShell(unread(line), env);
    expect(ran, line).toMatchObject({ code: 9, stderr: expect.stringMatching(/^error: output pipe closed/m) });
    expect(ran.stderr).toMatch(done);
    expect(ran.stderr).toMatch(undoLine);
  }
});

test('B40: so does a run whose reader went away when every row was done; the same command prints the rows', async ({ env }) => {
  const line = `shorten -f <(echo https://nodejs.org/1; echo https://nodejs.org/2)`;
  const ran = await runShell(unread(line), env);
  expect(ran).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(/^error: output pipe closed\n2 rows: 2 created .*\n.*undo/m),
  });
  expect(ran.stderr).not.toContain('resume');
  expect(ran.stderr).toContain('hint: run the same command again to print its rows');
  const again = await runShell(`$linkctl ${line} --fields long_url --no-header`, env);
  expect(again).toMatchObject({ code: 0, stdout: 'https://nodejs.org/1\nhttps://nodejs.org/2\n' });
  expect(again.stderr).toContain(': 2 of 2 rows are done\n');
});

test('B34, B40: a raw call that changes something ends with exit 9 if its answer is lost, unless it failed as a whole', async ({
  env,
}) => {
  const api = (...urls: string[]): string => {
    const body = { urls: urls.map((long_url) => ({ long_url })) };
    return `api POST /urls --body '${JSON.stringify(body)}'`;
  };
  const [good, bad] = ['https://nodejs.org/', 'http://localhost/one'];
  for (const [line, code, words] of [
    [api(good), 9, /^error: output pipe closed\nsent: POST \/urls$/m],
    [api(good, bad), 9, /^error: output pipe closed\n1 of 2 items failed\nsent: POST \/urls$/m],
    [api(bad), 6, /^error: .* \[API 1216\]$/m],
    ['api DELETE /urls/none', 5, /^error: .* \[API 1306\]$/m],
  ] as const) {
    expect(await runShell(unread(line), env), line).toMatchObject({ code, stderr: expect.stringMatching(words) });
  }
  const full = await runShell(`$linkctl ${api(good)} > /dev/full`, env);
  expect(full).toMatchObject({ code: 9, stderr: 'error: cannot write output: no space left on device\nsent: POST /urls\n' });
});

describe('B40, R-20: a change that was made in part', () => {
  test('is named, with what failed and its undo, if its reader went away', async ({ env, linkctl }) => {
    await withLink(linkctl);
    for (const [line, done, failed] of [
      ['shorten https://nodejs.org/1 http://localhost/one', /^created: http:\S+$/m, /^failed: http:\/\/localhost\/one$/m],
      ['edit abc none --note x', /^changed: http:\S+\/abc$/m, /^failed: none$/m],
      ['delete abc none --yes', /^deleted: \S+$/m, /^failed: none$/m],
    ] as const) {
      const ran = await runShell(unread(line), env);
      expect(ran, line).toMatchObject({ code: 9, stderr: expect.stringMatching(/^error: output pipe closed$/m) });
      for (const text of [done, failed, /^1 of 2 links failed$/m, undoLine]) expect(ran.stderr).toMatch(text);
    }
    expect(await runShell(unread('edit none --note x -o json'), env)).toMatchObject({ code: 5 });
  });

  test('is in doubt first of all, whether its reader went away or its output cannot be written', async ({ homeEnv, wire }) => {
    const linkctl = runnerIn(homeEnv);
    const account = ['-p', 'one', '--base-url', wire.baseUrl, '--username', username, '--edition', 'a', '--with-key'];
    await linkctl(['auth', 'login', ...account], { stdin: apiKey });
    await linkctl(['config', 'set', 'batch_size', '1', '-p', 'one']);
    for (const line of [unread('$shorten'), '$linkctl $shorten > /dev/full']) {
      await wire.script([{ only: post }, { ...faults.dropAfter, only: post }]);
      const ran = await runShell(line, {
        ...homeEnv,
        shorten: '-p one shorten https://nodejs.org/1 https://nodejs.org/2 --max-time 2',
      });
      expect(ran, line).toMatchObject({ code: 10, stderr: expect.stringMatching(/^error: outcome unknown/m) });
      for (const text of [/^created: http:\S+$/m, /^unknown: https:\/\/nodejs.org\/2$/m]) expect(ran.stderr).toMatch(text);
    }
  });
});

describe('R-18, B41: outside bulk runs a signal ends a command at once, and the shell sees it', () => {
  test.for(heard)('%s, for %j', async ([signal, lines], { homeEnv }) => {
    const ends = lines.map(async (line) => {
      const server = await startFaultyServer();
      onTestFinished(() => server.close());
      await server.script([{ times: 'all', end: 'silent' }]);
      const account = { LINKCTL_USERNAME: username, LINKCTL_API_KEY: apiKey, LINKCTL_BASE_URL: server.baseUrl };
      // At once: the call itself would be waited for longer than the test may take.
      const program = startProgram(line.split(' '), { ...homeEnv, ...account, LINKCTL_TIMEOUT: '600' });
      await until(async () => (await server.requests()).length > 0, `${line} sends a request`);
      program.process.kill(signal);
      const { code, signal: death, stdout, stderr } = await program.ended;
      return { line, code, death, stdout, stderr };
    });
    expect(await Promise.all(ends)).toEqual(
      lines.map((line) => ({ line, code: null, death: signal, stdout: '', stderr: 'interrupted\n' })),
    );
  });
});
