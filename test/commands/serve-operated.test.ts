import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { until } from '../support/until.ts';
import { type Serving, test } from './serving.ts';

/** What whoever runs `serve` relies on: names of links, keys, an end without harm, a copy. */

const link = (hash: string) => ({ urls: [{ long_url: 'https://example.com/a', custom_hash: hash }] });
const stderrOf = ({ system }: Serving): string => system.printed().stderr;
const shortUrl = async ({ call }: Serving, hash: string) => {
  const { urls } = (await call(`/urls/${hash}`)) as unknown as { urls: { short_url_with_protocol: string }[] };
  return urls[0]?.short_url_with_protocol;
};

test('E47: each process prints its own port, and short URLs of either can be followed as they are', async ({ serve, folder }) => {
  const flags = ['--port', '0', '--data', join(folder, 'links')];
  const first = await serve(flags);
  await first.call('/urls', 'POST', link('one'));
  const second = await serve(flags);
  await second.call('/urls', 'POST', link('two'));
  for (const serving of [first, second]) {
    const { port } = new URL(serving.origin);
    expect(serving.announced.domains).toEqual([`localhost:${port}`]);
    for (const hash of ['one', 'two']) {
      expect(await shortUrl(serving, hash)).toBe(`http://localhost:${port}/${hash}`);
      expect((await fetch(`${serving.origin}/${hash}`, { redirect: 'manual' })).status).toBe(303);
    }
  }
});

test('E47: processes that disagree on --public-url are refused, and links of a former host are named', async ({
  serve,
  linkctl,
  folder,
}) => {
  const flags = ['--port', '0', '--data', join(folder, 'links')];
  const first = await serve([...flags, '--public-url', 'https://old.example:8443']);
  await first.call('/urls', 'POST', link('one'));
  expect(await shortUrl(first, 'one')).toBe('https://old.example:8443/one');
  expect(await linkctl(['serve', ...flags, '--public-url', 'https://s.ex'])).toMatchObject({
    code: 9,
    stderr:
      'error: another process serves the same links as https://old.example:8443\n' +
      'hint: give all processes the same --public-url and --domain, or stop the other one; if it was killed, wait half a minute\n',
  });
  await (await serve([...flags, '--public-url', 'https://old.example:8443'])).stop();
  await first.stop();
  const second = await serve([...flags, '--public-url', 'https://s.ex']);
  expect(stderrOf(second)).toContain(
    '1 link of old.example works as long as that host points to this service; new links use s.ex\n',
  );
});

test('another --username or edition on the same folder starts, with a warning that names the links it does not serve', async ({
  serve,
  folder,
}) => {
  const flags = ['--port', '0', '--data', join(folder, 'links')];
  const first = await serve([...flags, '--username', "o'neill"]);
  for (const hash of ['one', 'two']) await first.call('/urls', 'POST', link(hash));
  await first.stop();
  for (const [world, name, others] of [
    [{}, '"sandbox" of edition A', `2 links (--username 'o'\\''neill' --edition a)`],
    [{ env: { LINKCTL_EDITION: 'b' } }, '"sandbox" of edition B', 'the file links-a.db (--edition a)'],
  ] as const) {
    const other = await serve(flags, world);
    expect(stderrOf(other)).toBe(`warning: the account ${name} has no links; not served from the same place: ${others}\n`);
    await other.stop();
  }
  expect(stderrOf(await serve([...flags, '--username', "o'neill"]))).toBe('');
});

test('E47: a process without --public-url prints the scheme that the others have', async ({ serve, folder }) => {
  const flags = ['--port', '0', '--data', join(folder, 'links')];
  const first = await serve([...flags, '--public-url', 'https://s.ex']);
  await first.call('/urls', 'POST', link('one'));
  const second = await serve(flags);
  expect(await shortUrl(second, 'one')).toBe('https://s.ex/one');
  expect((await second.call('/domains')).domains).toMatchObject([{ domain: 's.ex', use_https: true }]);
  await second.stop();
  await first.stop();
  await (await serve([...flags, '--public-url', 'http://s.ex'])).stop();
  expect(await shortUrl(await serve(flags), 'one')).toBe('http://s.ex/one');
});

test('E47: the scheme of --public-url is that of its domain, and other domains keep theirs', async ({ serve, folder }) => {
  const flags = ['--port', '0', '--data', join(folder, 'links')];
  const first = await serve([...flags, '--public-url', 'http://old.ex']);
  await first.call('/urls', 'POST', link('one'));
  await first.stop();
  const second = await serve([...flags, '--public-url', 'https://s.ex']);
  await second.call('/urls', 'POST', link('two'));
  const printed = async (serving: Serving) => [await shortUrl(serving, 'one?domain=old.ex'), await shortUrl(serving, 'two')];
  expect(await printed(second)).toEqual(['http://old.ex/one', 'https://s.ex/two']);
  expect(await printed(await serve(flags))).toEqual(['http://old.ex/one', 'https://s.ex/two']);
  expect((await second.call('/domains')).domains).toMatchObject([
    { domain: 's.ex', use_https: true },
    { domain: 'old.ex', use_https: false },
  ]);
});

test('E47: a process that would give another one a new default domain is refused, and further domains are added', async ({
  serve,
  linkctl,
  folder,
}) => {
  for (const edition of ['a', 'b'] as const) {
    const flags = ['--port', '0', '--data', join(folder, edition), '--edition', edition];
    const first = await serve([...flags, '--domain', 's.ex']);
    const refused = await linkctl(['serve', ...flags, '--domain', 'typo.ex']);
    expect(refused).toMatchObject({ code: 9, stdout: '' });
    expect(refused.stderr).toContain('another process serves the same links as s.ex\n');
    await first.call('/urls', 'POST', link('one'));
    expect(await shortUrl(first, 'one')).toBe('http://s.ex/one');
    const further = edition === 'a' ? ['--domain', 's.ex', '--domain', 't.ex'] : ['--domain', 's.ex'];
    const second = await serve([...flags, ...further]);
    expect(second.announced.domains).toEqual(edition === 'a' ? ['s.ex', 't.ex'] : ['s.ex']);
    await second.stop();
    await first.stop();
    const alone = await serve([...flags, '--domain', 'typo.ex']);
    expect(alone.announced.domains[0]).toBe('typo.ex');
    await alone.stop();
  }
});

test('E47: a process on another machine with the same local address and another default domain is refused', async ({
  serve,
  linkctl,
  folder,
}) => {
  const flags = ['--data', join(folder, 'links')];
  const first = await serve([...flags, '--port', '0', '--domain', 's.ex']);
  const { port } = new URL(first.origin);
  expect(await linkctl(['serve', ...flags, '--host', '127.0.0.2', '--port', port, '--domain', 'typo.ex'])).toMatchObject({
    code: 9,
    stdout: '',
  });
  await first.call('/urls', 'POST', link('one'));
  expect(await shortUrl(first, 'one')).toBe('http://s.ex/one');
});

test('names of one domain that differ in case, script or port are one', async ({ serve, folder }) => {
  const names = ['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example:81', 's.ex:444', 's.ex'];
  const serving = await serve(['--port', '0', '--data', join(folder, 'links'), ...names.flatMap((name) => ['--domain', name])]);
  expect(serving.announced.domains.map((name) => name.replace(/:.*/, ''))).toEqual(['xn--bcher-kva.example', 's.ex']);
});

test('E48: the key is shown on a terminal, when it is made, and nowhere else', async ({ serve, folder }) => {
  const start = async (data: string, terminal: boolean, flags: string[] = []) => {
    const serving = await serve(['--port', '0', '--data', join(folder, data), ...flags], { terminal: { stdout: terminal } });
    await serving.stop();
    const { stdout, stderr } = serving.system.printed();
    expect(serving.announced.api_key_file).toBe(join(folder, data, 'api-key'));
    return (stdout + stderr).includes(serving.announced.api_key);
  };
  expect([await start('a', true), await start('a', true), await start('b', false), await start('c', false, ['-v'])]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('E49: all keys of the file are valid, and SIGHUP reads them again', async ({ serve, folder }) => {
  const file = join(folder, 'keys');
  const [old, next] = ['o'.repeat(32), 'n'.repeat(32)];
  await writeFile(file, `${old}\n`, { mode: 0o600 });
  const serving = await serve(['--port', '0', '--api-key-file', file]);
  const codes = async () =>
    Promise.all(
      [old, next].map(async (key) => {
        const headers = { 'x-tinycc-user': 'sandbox', 'x-tinycc-key': key };
        const answer = await fetch(`${serving.announced.base_url}/account`, { headers });
        return ((await answer.json()) as { error: { code: number } }).error.code;
      }),
    );
  expect(await codes()).toEqual([0, 1300]);
  const rotate = async (text: string, times: number) => {
    await writeFile(file, text);
    serving.system.raise('SIGHUP');
    await until(() => stderrOf(serving).split('SIGHUP: ').length > times, 'the keys are read again');
  };
  await rotate(`${next}\n\n${old}\n`, 1);
  expect(await codes()).toEqual([0, 0]);
  await rotate(`${next}\n`, 2);
  expect(await codes()).toEqual([1300, 0]);
  await rotate('\n', 3);
  expect(stderrOf(serving)).toContain(`warning: SIGHUP: ${file}: the key is empty; what was read before stays in use\n`);
  expect(await codes()).toEqual([1300, 0]);
  for (const [index, line] of ['# the old one', `#${old}`, `${old} # old`].entries()) {
    await rotate(`${old}\n\n${line}\n`, 4 + index);
    expect(stderrOf(serving).split('SIGHUP: ').at(-1)).toBe(
      `${file}: line 3 is not a key: it begins with "#" or contains white space; what was read before stays in use\n`,
    );
    expect(await codes()).toEqual([1300, 0]);
  }
});

test('E50: after SIGTERM health is 503 and connections end with their answer, for as long as is said; then it ends', async ({
  serve,
}) => {
  const seen: unknown[] = [];
  let serving: Serving | undefined;
  let waits = 0;
  const sleep = async () => {
    waits += 1;
    if (waits !== 2 || !serving?.announced.metrics_url) return;
    const health = await fetch(serving.announced.metrics_url.replace('/metrics', '/healthz'));
    const { status, headers } = await fetch(`${serving.origin}/one`, { redirect: 'manual' });
    seen.push([health.status, status, headers.get('connection')]);
  };
  serving = await serve(['--port', '0', '--metrics-port', '0', '--drain', '3'], { sleep });
  await serving.call('/urls', 'POST', link('one'));
  expect(await serving.stop()).toBe(0);
  expect([seen, waits]).toEqual([[[503, 303, 'close']], 30]);
  waits = 0;
  serving = undefined;
  expect(await (await serve(['--port', '0', '--drain', '1'], { sleep })).stop()).toBe(0);
  expect(waits).toBe(10);
  waits = 0;
  expect(await (await serve(['--port', '0', '--metrics-port', '0', '--drain', '0'], { sleep })).stop()).toBe(0);
  expect(await (await serve(['--port', '0', '--metrics-port', '0'], { sleep })).stop('SIGINT')).toBe(0);
  expect(waits).toBe(0);
});

test('E50: a client that keeps its connections sees no broken one', async ({ serve }) => {
  let [isWorking, isStopping, isDone] = [false, false, false];
  const outcomes: (string | number | undefined)[] = [];
  // While it drains, each wait is as long as a client needs to send once more.
  const sleep = async () => {
    const seen = outcomes.length;
    await until(() => !isWorking || isDone || outcomes.length > seen, 'a client sends once more');
  };
  const serving = await serve(['--port', '0'], { sleep });
  await serving.call('/urls', 'POST', link('one'));
  const { port } = new URL(serving.origin);
  const client = async () => {
    const { Agent } = await import('node:http');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isStopping) {
      const outcome = await new Promise<string | number | undefined>((resolve) => {
        const sending = request({ port, path: '/one', agent }, (answer) =>
          answer.resume().on('end', () => resolve(answer.statusCode)),
        );
        sending.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)).end();
      });
      outcomes.push(outcome);
      if (outcome !== 303) return;
    }
    agent.destroy();
  };
  const clients = Array.from({ length: 4 }, client);
  await until(() => outcomes.length > 40, 'clients are at work');
  isWorking = true;
  const ended = serving.stop();
  const before = outcomes.length;
  await until(() => outcomes.length > before + 40, 'they go on while it drains');
  isStopping = true;
  await Promise.all(clients);
  isDone = true;
  expect(await ended).toBe(0);
  expect(new Set(outcomes)).toEqual(new Set([303]));
});

test('E50: clients that connect anew for each request see no broken connection when it ends', async ({ serve }) => {
  const serving = await serve(['--port', '0']);
  await serving.call('/urls', 'POST', link('one'));
  const { port } = new URL(serving.origin);
  const outcomes: (string | number | undefined)[] = [];
  const visit = () =>
    new Promise<string | number | undefined>((resolve) => {
      const sending = request({ port, host: '127.0.0.1', path: '/one', agent: false }, (answer) =>
        answer.resume().on('end', () => resolve(answer.statusCode)),
      );
      sending.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)).end();
    });
  const client = async () => {
    do outcomes.push(await visit());
    while (outcomes.at(-1) === 303);
  };
  const clients = Array.from({ length: 8 }, client);
  await until(() => outcomes.length > 40, 'clients are at work');
  expect(await serving.stop('SIGINT')).toBe(0);
  await Promise.all(clients);
  expect(new Set(outcomes)).toEqual(new Set([303, 'ECONNREFUSED']));
});

test('E57: health and figures are for this machine, whatever --host is', async ({ serve }) => {
  const wide = await serve(['--port', '0', '--host', '0.0.0.0', '--metrics-port', '0']);
  expect(wide.announced.metrics_url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(stderrOf(wide)).not.toContain('health and metrics');
});

test('O2: --backup copies links that are being served, and the copy can be served', async ({ serve, linkctl, folder }) => {
  const data = join(folder, 'links');
  const first = await serve(['--port', '0', '--data', data]);
  const acknowledged: string[] = [];
  let isCopied = false;
  const writing = (async () => {
    for (let index = 0; !isCopied; index += 1) {
      await first.call('/urls', 'POST', link(`w${index}`));
      acknowledged.push(`w${index}`);
    }
  })();
  await until(() => acknowledged.length > 20, 'links are made');
  const before = [...acknowledged];
  const copy = join(folder, 'copy', 'links-a.db');
  await mkdir(join(folder, 'copy'), { mode: 0o700 });
  expect(await linkctl(['serve', '--data', data, '--backup', copy])).toMatchObject({ code: 0, stdout: '' });
  isCopied = true;
  await writing;
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  const again = await linkctl(['serve', '--data', data, '--backup', copy]);
  expect([again.code, again.stderr]).toEqual([9, expect.stringContaining(`cannot copy the links in ${data} to ${copy}`)]);
  const other = await linkctl(['serve', '--data', data, '--edition', 'b', '--backup', `${copy}2`]);
  expect([other.code, other.stderr]).toEqual([9, expect.stringContaining(`${data} has no links of edition B`)]);
  const file = await linkctl(['serve', '--data', copy, '--backup', `${copy}2`]);
  expect([file.code, file.stderr]).toEqual([
    9,
    `error: cannot use the data folder ${copy}: a part of the path is not a folder\n`,
  ]);
  expect((await linkctl(['serve', '--store', 'postgresql://h/d', '--backup', `${copy}2`])).code).toBe(2);
  const second = await serve(['--port', '0', '--data', join(folder, 'copy')]);
  const { urls } = (await second.call(`/urls?hashes=${before.join()}`)) as unknown as { urls: object[] };
  expect(urls).toHaveLength(before.length);
  expect((await readFile(copy)).subarray(0, 15).toString()).toBe('SQLite format 3');
});

test('O2: a copy can be served at once with another host, while its origin is served', async ({ serve, linkctl, folder }) => {
  const data = join(folder, 'links');
  const first = await serve(['--port', '0', '--data', data, '--public-url', 'https://s.ex']);
  await first.call('/urls', 'POST', link('one'));
  await mkdir(join(folder, 'copy'), { mode: 0o700 });
  await linkctl(['serve', '--data', data, '--backup', join(folder, 'copy', 'links-a.db')]);
  expect(await readdir(join(folder, 'copy'))).toEqual(['links-a.db']);
  const second = await serve(['--port', '0', '--data', join(folder, 'copy'), '--public-url', 'https://other.ex']);
  expect(await shortUrl(second, 'one?domain=s.ex')).toBe('https://s.ex/one');
  // The origin keeps its address.
  expect((await linkctl(['serve', '--port', '0', '--data', data, '--public-url', 'https://other.ex'])).code).toBe(9);
});

test('O2: of two backups to one file, one makes it for its owner alone and the other fails', async ({
  serve,
  linkctl,
  folder,
}) => {
  const data = join(folder, 'links');
  const serving = await serve(['--port', '0', '--data', data]);
  await serving.call('/urls', 'POST', link('one'));
  const copy = join(folder, 'copy', 'links-a.db');
  await mkdir(join(folder, 'copy'), { mode: 0o700 });
  const ended = await Promise.all([1, 2, 3].map(() => linkctl(['serve', '--data', data, '--backup', copy])));
  expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 9, 9]);
  const refusal = `error: cannot copy the links in ${data} to ${copy}: a file with this name already exists\n`;
  expect(ended.filter(({ code }) => code === 9).map(({ stderr }) => stderr)).toEqual([refusal, refusal]);
  expect(await readdir(join(folder, 'copy'))).toEqual(['links-a.db']);
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  const restored = await serve(['--port', '0', '--data', join(folder, 'copy')]);
  expect(await shortUrl(restored, 'one')).toContain('/one');
});

test.for(['deleted', 'replaced'])(
  'E18: while the file of the links is %s, no change is confirmed',
  async (how, { serve, folder }) => {
    const data = join(folder, 'links');
    let time = 0;
    const serving = await serve(['--port', '0', '--metrics-port', '0', '--data', data], { elapsed: () => time });
    await serving.call('/urls', 'POST', link('one'));
    const health = async () => {
      const answer = await fetch((serving.announced.metrics_url ?? '').replace('/metrics', '/healthz'));
      return [answer.status, (await answer.text()).trim()];
    };
    expect(await health()).toEqual([200, 'ok']);
    const file = join(data, 'links-a.db');
    if (how === 'replaced') await writeFile(join(folder, 'other'), '');
    await (how === 'replaced' ? rename(join(folder, 'other'), file) : rm(data, { recursive: true }));
    const reason = `${file} was deleted or replaced: stop this process, put the links in place and start it again`;
    expect(await health()).toEqual([503, reason]);
    for (const hash of ['two', 'three']) expect((await serving.call('/urls', 'POST', link(hash))).error.code).toBe(101);
    const warning = `warning: a request failed: ${reason}\n`;
    expect(stderrOf(serving)).toBe(warning);
    // A failure that comes back, or stays, is said again.
    time = 60_000;
    await serving.call('/urls', 'POST', link('four'));
    expect(stderrOf(serving)).toBe(warning.repeat(2));
    expect((await fetch(`${serving.origin}/one`, { redirect: 'manual' })).status).toBe(303);
    expect(await serving.stop()).toBe(9);
    const { error } = JSON.parse(stderrOf(serving).trim().split('\n').at(-1) ?? '');
    expect(error).toEqual({ code: 9, kind: 'local', message: `cannot store 1 click in ${data}: ${reason}` });
  },
);

test('E18: while the log beside the file of the links is deleted, no change is confirmed, and none before is lost', async ({
  serve,
  folder,
}) => {
  const data = join(folder, 'links');
  const serving = await serve(['--port', '0', '--data', data]);
  await serving.call('/urls', 'POST', link('one'));
  const log = join(data, 'links-a.db-wal');
  await rm(log);
  expect((await serving.call('/urls', 'POST', link('two'))).error.code).toBe(101);
  expect(stderrOf(serving)).toContain(`${log} was deleted or replaced`);
  // What it counted of its calls is not stored.
  expect(await serving.stop()).toBe(9);
  const again = await serve(['--port', '0', '--data', data]);
  expect(await shortUrl(again, 'one')).toContain('/one');
});

test('O2: after a stop, the file of the links holds all of them', async ({ serve, folder }) => {
  const [data, copy] = [join(folder, 'links'), join(folder, 'copy')];
  const first = await serve(['--port', '0', '--data', data]);
  await first.call('/urls', 'POST', link('one'));
  expect(await first.stop()).toBe(0);
  await mkdir(copy, { mode: 0o700 });
  await copyFile(join(data, 'links-a.db'), join(copy, 'links-a.db'));
  const second = await serve(['--port', '0', '--data', copy]);
  expect(await shortUrl(second, 'one')).toContain('/one');
});

test('O2: a backup that fails leaves no file, and says of the data folder what is wrong with it', async ({ linkctl, folder }) => {
  await mkdir(join(folder, 'bad'));
  await writeFile(join(folder, 'bad', 'links-a.db'), 'no database, and long enough to be seen as none'.repeat(100));
  await mkdir(join(folder, 'copy'));
  const failed = await linkctl(['serve', '--data', join(folder, 'bad'), '--backup', join(folder, 'copy', 'links-a.db')]);
  expect(failed).toMatchObject({
    code: 9,
    stderr: `error: cannot use the data folder ${join(folder, 'bad')}: file is not a database\n`,
  });
  expect(await readdir(join(folder, 'copy'))).toEqual([]);
});
