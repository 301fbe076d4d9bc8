import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Edition } from '../../src/contract/editions.ts';
import type { UrlRecord } from '../../src/contract/records.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import type { ServiceLimits } from '../../src/service/service-options.ts';
import type { DomainSettings } from '../../src/service/store/store.ts';
import { startProgram } from '../support/built-program.ts';
import { directlyTo } from '../support/direct.ts';
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { apiKey, arrived, type Linkctl, test as plain, type Ran, runnerIn, sent, username } from '../support/linkctl.ts';
import { call, numbered, oddHashes, store, stored, visit } from '../support/stored-links.ts';
import { hideResult, killed } from './undo-world.ts';

const otherKey = 'k-of-the-other-account-71c0';

interface Target {
  readonly service: RunningService;
  readonly wire: FaultyServer;
}

interface Fixtures {
  /** Edition and domains of the account that is copied to. */
  otherEdition: Edition;
  otherDomains: readonly DomainSettings[] | undefined;
  otherLimits: Partial<ServiceLimits> | undefined;
  /** The account of the profile `there`; `service` and `wire` are that of `here`, which is current. */
  there: Target;
  profileEnv: Record<string, string>;
  run: Linkctl;
}

const test = plain.extend<Fixtures>({
  otherEdition: 'a',
  otherDomains: undefined,
  otherLimits: undefined,
  there: async ({ otherEdition, otherDomains, otherLimits }, use) => {
    const service = await startService({
      edition: otherEdition,
      domains: otherDomains,
      limits: otherLimits,
      username: 'bob',
      apiKey: otherKey,
      redirects: false,
    });
    const wire = await startFaultyServer({ backend: directlyTo(service) });
    await use({ service, wire });
    await wire.close();
    await service.close();
  },
  profileEnv: async ({ homeEnv, folder, wire, edition, there, otherEdition }, use) => {
    const config = join(folder, '.config', 'linkctl');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    const profiles = {
      here: { base_url: wire.baseUrl, username, api_key: apiKey, edition },
      there: { base_url: there.wire.baseUrl, username: 'bob', api_key: otherKey, edition: otherEdition },
    };
    writeFileSync(join(config, 'config.json'), JSON.stringify({ current_profile: 'here', profiles }), { mode: 0o600 });
    await use(homeEnv);
  },
  run: async ({ profileEnv }, use) => {
    await use(runnerIn(profileEnv));
  },
});

const bob = ['bob', otherKey] as const;

/** The links of the target, the oldest first. */
const copies = ({ service }: Target, domain?: string): Promise<UrlRecord[]> => stored(service, domain, bob);

const storeThere = ({ service }: Target, urls: readonly object[], domain?: string): Promise<void> =>
  store(service, urls, domain, bob);

/** What can be set of a link. */
function settable({ hash, long_url, note, tags, expiration_date, email_stats, max_clicks }: UrlRecord, withBound = true) {
  return { hash, long_url, note, tags, expiration_date, email_stats, ...(withBound && { max_clicks }) };
}

async function changes(wire: FaultyServer): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'));
}

/** Links with every field, more than a page of either edition. */
function many(count: number, edition: Edition): object[] {
  return Array.from({ length: count }, (_, index) => ({
    custom_hash: oddHashes[index] ?? `Link${index}`,
    long_url: `https://example.com/${index}?q=%7e#Top`,
    ...(index % 3 === 0 && { note: `note ${index}, "quoted"` }),
    ...(index % 4 === 0 && { tags: ['promo', 'a,b'] }),
    ...(index % 5 === 0 && { expiration_date: '2031-12-31' }),
    ...(index % 7 === 0 && { email_stats: true }),
    ...(index % 11 === 0 && edition === 'a' && { max_clicks: index + 1 }),
  }));
}

test('R-40, P4: a link with the API key of its account in it is not copied without it, but named', async ({
  run,
  service,
  there,
}) => {
  await store(service, [
    { custom_hash: 'x', long_url: `https://e.example/?k=${apiKey}` },
    { custom_hash: 'y', long_url: 'https://y.example/' },
    { custom_hash: 'z', long_url: 'https://z.example/', tags: [`u${apiKey}`] },
  ]);
  await run(['delete', 'z', '--yes', '--no-undo']);
  const ran = await run(['copy', '--to', 'there', '--all', '--yes']);
  expect(ran).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/\bx: not sent: the API key was removed from its long_url/),
  });
  expect(ran.stderr).toMatch(/tag not copied: the API key was removed from "u\[API-key-removed-by-linkctl]"/);
  expect((await run(['tags', '-p', 'there'])).stdout).not.toContain('API-key');
  expect((await copies(there)).map(({ hash }) => hash)).toEqual(['y']);
});

test('I12, P4: copy makes no public link of a protected or disabled one, again and again', async ({
  run,
  service,
  wire,
  there,
  folder,
}) => {
  await store(service, numbered(2));
  expect((await run(['copy', 'h0', '--to', 'there', '--yes'])).code).toBe(0);
  await wire.script([
    { only: { method: 'GET', path: '/urls' }, times: 'all', alter: { each: { protected: true, favorite: true } } },
  ]);
  const words = ['copy', '--to', 'there', '--all'];
  const reason = 'protected or disabled: protected (shorten -f --include-protected makes it a public link)';
  const results = join(folder, 'done.csv');
  for (const words of [
    ['-n', '-o', 'csv'],
    ['--yes', '--results', results],
    ['--yes', '-o', 'json'],
  ]) {
    const ran = await run(['copy', '--to', 'there', '--all', ...words]);
    expect(ran).toMatchObject({ code: words[0] === '-n' ? 0 : 3, stderr: expect.stringContaining(reason) });
    expect(ran.stderr).toContain('0 of 2 links would be copied, 1 existing, 1 refused');
    expect((await copies(there)).map(({ hash }) => hash)).toEqual(['h0']);
  }
  expect(readFileSync(results, 'utf8')).toContain(reason);
  expect(JSON.parse((await run([...words, '-n', '-o', 'json'])).stdout)).toMatchObject({ requests: [] });
  // A start that has passed protects nothing.
  await wire.script([
    { only: { method: 'GET', path: '/urls' }, times: 'all', alter: { each: { valid_since: '2020-01-01', status: 'active' } } },
  ]);
  expect((await run([...words, '--yes'])).code).toBe(0);
  expect((await copies(there)).map(({ hash }) => hash)).toEqual(['h0', 'h1']);
});

test('F1, P1, P4: diff and copy take the links that a run left alone, as they change none of them', async ({
  run,
  service,
  there,
  folder,
}) => {
  const [listed, done] = [join(folder, 'listed.csv'), join(folder, 'done.csv')];
  await store(service, numbered(2));
  writeFileSync(listed, (await run(['list', '--all', '-o', 'csv'])).stdout);
  const made = ['shorten', '-f', '-', '--input-format', 'csv', '--results', done];
  await run(made, { stdin: 'long_url,custom_hash\nhttps://example.com/0,h0\nhttps://other.example/,h1\n' });
  expect(readFileSync(done, 'utf8')).toMatch(/^1,existing,h0,.*\n2,failed,/m);
  writeFileSync(done, readFileSync(done, 'utf8').replace('2,failed,,', '2,failed,h1,'));
  expect((await run(['diff', '-f', listed, '--hashes-from', done])).code).toBe(0);
  const copied = join(folder, 'copied.csv');
  const ran = await run(['copy', '--to', 'there', '--hashes-from', done, '--yes', '--results', copied]);
  expect(ran.code, ran.stderr).toBe(0);
  expect(readFileSync(copied, 'utf8')).toMatch(/^1,created,.*,\n2,created,.*,\n$/m);
  expect((await copies(there)).map(({ hash }) => hash).sort()).toEqual(['h0', 'h1']);
});

describe.each([
  ['a', 'b'],
  ['b', 'a'],
  ['a', 'a'],
] as const)('from edition %s to edition %s', (edition, otherEdition) => {
  test.override({ edition, otherEdition });

  test('P4: every link is made there with all that can be set, in the same order; a second copy makes none', async ({
    run,
    service,
    there,
  }) => {
    const both = edition === 'a' && otherEdition === 'a';
    await store(service, many(1203, edition));
    const ran = await run(['copy', '--to', 'there', '--yes']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('1203 links: 1203 created');
    expect(ran.stderr).toContain('not copied: clicks, last visits and dates of creation\n');
    expect(ran.stderr.includes('not copied: max_clicks of 110 links')).toBe(edition === 'a' && otherEdition === 'b');
    const here = (await stored(service)).map((link) => settable(link, both));
    expect((await copies(there)).map((link) => settable(link, both))).toEqual(here);
    const before = (await changes(there.wire)).length;
    const again = await run(['copy', '--to', 'there', '--yes', '-o', 'json']);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ urls: [], summary: { rows: 1203, existing: 1203, created: 0, failed: 0 } });
    expect(again.stderr).toBe('0 of 1,203 links would be copied, 1,203 existing\ncopy from here: nothing to change\n');
    expect(await changes(there.wire)).toHaveLength(before);
    expect(await copies(there)).toHaveLength(1203);
  });
});

describe('a target without max_clicks', () => {
  test.override({ edition: 'a', otherEdition: 'b' });

  test('U3, I11, P4: limits that cannot be copied are said in a dry run and before anything is sent, and after it', async ({
    run,
    service,
    there,
  }) => {
    const limited = (hash: string) => ({ custom_hash: hash, long_url: `https://example.com/${hash}`, max_clicks: 5 });
    await store(service, [limited('h1'), ...numbered(1)]);
    const line = (links: string) => `not copied: max_clicks of ${links}, which this server (edition B) does not have\n`;
    const dry = await run(['copy', '--to', 'there', '-n']);
    expect(dry.stderr).toContain(line('1 link'));
    const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, stdin: 'n\n' };
    const asked = await run(['copy', '--to', 'there'], watched);
    expect(asked.stderr).toMatch(/not copied: max_clicks of 1 link,.*\nCopy 2 links to /);
    expect(await changes(there.wire)).toEqual([]);
    expect((await run(['copy', '--to', 'there', '--yes'])).stderr.split(line('1 link'))).toHaveLength(3);
    await store(service, [limited('h2'), limited('h3')]);
    // Only links that are copied lose something now.
    expect((await run(['copy', '--to', 'there', '-n'])).stderr).toContain(line('2 links'));
    await store(service, [limited('h4')]);
    expect((await run(['copy', 'h4', '--to', 'there'], watched)).stderr).toContain(line('1 link'));
  });
});

describe('killed', () => {
  test.override({ edition: 'b', otherEdition: 'a' });

  test('P4: a copy that was killed is resumed by the same command: nothing is lost, doubled or out of order', async ({
    profileEnv,
    edition,
    service,
    there,
  }) => {
    await store(service, many(603, edition));
    await there.wire.script([
      { only: { method: 'POST' }, times: 3 },
      { only: { method: 'POST' }, held: true },
    ]);
    const words = ['copy', '--to', 'there', '--yes', '--batch-size', '100', '--all'];
    const { process: child, ended } = startProgram(words, profileEnv);
    await arrived(there.wire, 4, 'POST');
    child.kill('SIGKILL');
    await ended;
    await there.wire.release();
    await store(service, [{ custom_hash: 'later', long_url: 'https://example.com/later' }]);
    const resumed = await startProgram(words, profileEnv).ended;
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringMatching(/resuming run .*603 links/s) });
    expect(resumed.stderr).toContain('the links are copied as they were when this run began');
    const hashes = (await stored(service)).map(({ hash }) => hash);
    expect((await copies(there)).map(({ hash }) => hash)).toEqual(hashes.slice(0, -1));
    // What came to the source meanwhile comes with the next one.
    expect(await runnerIn(profileEnv)(words)).toMatchObject({ code: 0, stdout: 'later\n' });
    expect((await copies(there)).map(({ hash }) => hash)).toEqual(hashes);
  });
});

test('P4: a hash that leads elsewhere there is left alone and named, the others are copied: exit 3', async ({
  run,
  service,
  there,
  folder,
}) => {
  await store(service, [...numbered(3, { note: 'n' }), { custom_hash: 'hash', long_url: 'https://example.com/hash' }]);
  await storeThere(there, [
    { custom_hash: 'h1', long_url: 'https://foreign.example/' },
    { custom_hash: 'h2', long_url: 'https://example.com/2', note: 'theirs' },
  ]);
  const results = join(folder, 'results.csv');
  const ran = await run(['copy', '--to', 'there', '--yes', '-o', 'json', '--results', results]);
  expect(ran.code).toBe(3);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    urls: [
      { hash: 'h0', status: 'created' },
      {
        hash: 'h1',
        status: 'failed',
        long_url: 'https://example.com/1',
        error: { code: 0, message: 'another link has the hash there' },
      },
      { hash: 'h2', status: 'failed', error: { code: 0, message: 'it exists with other values: note' } },
      { hash: 'hash', status: 'created' },
    ],
    summary: { rows: 4, created: 2, failed: 2 },
  });
  // The hint of 1215, `linkctl list`, would list the link of the source.
  expect(ran.stderr).not.toContain('linkctl list');
  expect(readFileSync(results, 'utf8')).toMatch(/h1.*failed|failed.*h1/);
  const links = new Map((await copies(there)).map((link) => [link.hash, link]));
  expect(links.get('h1')?.long_url).toBe('https://foreign.example/');
  expect(links.get('h2')?.note).toBe('theirs');
  expect([...links.keys()]).toEqual(['h1', 'h2', 'h0', 'hash']);
});

test('P4, E10: a copy whose result was not shown is shown by the same command', async ({ run, service, there }) => {
  await store(service, numbered(3));
  const copy = ['copy', '--to', 'there', '--yes'];
  const first = await run(copy);
  expect(first.code).toBe(0);
  await hideResult(run);
  expect(await run(copy)).toMatchObject({ code: 0, stdout: first.stdout });
  expect(await copies(there)).toHaveLength(3);
});

test('P4, U2: undo on the profile of the target deletes the copies, and only these', async ({ run, service, there }) => {
  await store(service, numbered(3));
  await storeThere(there, numbered(1));
  expect(await run(['copy', '--to', 'there', '--yes'])).toMatchObject({ code: 0, stdout: 'h1\nh2\n' });
  const name = JSON.parse((await run(['runs', '-o', 'json'])).stdout).runs[0].run;
  expect(await run(['undo', name, '--yes'])).toMatchObject({ code: 2 });
  expect(await run(['undo', name, '--yes', '--profile', 'there'])).toMatchObject({ code: 0 });
  expect((await copies(there)).map(({ hash }) => hash)).toEqual(['h0']);
  expect(await stored(service)).toHaveLength(3);
});

test('P4: clicks stay, tags that no link carries come along with a whole account', async ({
  run,
  linkctl,
  service,
  there,
  wire,
}) => {
  await store(service, [{ custom_hash: 'used', long_url: 'https://example.com/', tags: ['Promo'] }]);
  await linkctl(['tags', 'add', 'spring sale', 'a,b', 'Known']);
  await visit(service, 'used', 3);
  await call(there.service, { method: 'POST', path: '/tags', body: { label: 'known' } }, bob);
  await wire.script([]);
  expect(await run(['copy', '--to', 'there', '--yes', 'used'])).toMatchObject({ code: 0 });
  expect(await changes(there.wire)).toHaveLength(1);
  const dry = await run(['copy', '--to', 'there', '-n', '-o', 'json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    requests: [
      { method: 'POST', path: '/tags', body: { label: 'a,b' } },
      { method: 'POST', path: '/tags', body: { label: 'spring sale' } },
    ],
  });
  const ran = await run(['copy', '--to', 'there', '--yes']);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain('2 tags: "a,b", "spring sale": used by no copied link, would be added');
  expect(ran.stderr).toContain('0 of 1 link would be copied, 1 existing');
  expect((await labelsThere(there)).sort()).toEqual(['Promo', 'a,b', 'known', 'spring sale']);
  expect((await copies(there))[0]).toMatchObject({ total_clicks: 0, tags: ['Promo'] });
});

async function labelsThere({ service }: Target): Promise<string[]> {
  const { tags } = await call<{ tags: { label: string }[] }>(service, { path: '/tags' }, bob);
  return tags.map(({ label }) => label);
}

test('U3, U5, P4: tags that a copy adds are undone with its links, and on their own if it adds nothing else', async ({
  run,
  linkctl,
  service,
  there,
}) => {
  const copy = ['copy', '--to', 'there', '--yes'];
  /** Counted from the newest run. */
  const undo = async (nth: number): Promise<Ran> => {
    const { runs } = JSON.parse((await run(['runs', '--profile', 'there', '-o', 'json'])).stdout);
    return await run(['undo', runs[nth].run, '--yes', '--profile', 'there']);
  };
  await store(service, numbered(2));
  await linkctl(['tags', 'add', 'first']);
  expect(await run(copy)).toMatchObject({ code: 0, stderr: expect.stringContaining('1 tag added') });
  await linkctl(['tags', 'add', 'second']);
  const alone = await run(copy);
  expect(alone).toMatchObject({ code: 0, stderr: expect.stringContaining('1 tag added') });
  expect(alone.stderr).not.toContain('nothing to change');
  expect(alone.stderr).toMatch(/^to undo it: linkctl undo --profile \S+ \S+$/m);
  expect(await labelsThere(there)).toEqual(['first', 'second']);
  expect((await undo(0)).code).toBe(0);
  expect([await labelsThere(there), (await copies(there)).length]).toEqual([['first'], 2]);
  expect((await undo(2)).code).toBe(0);
  expect([await labelsThere(there), await copies(there)]).toEqual([[], []]);
});

test('B87, B90, P4: a tag that the target refuses keeps no link from being copied: exit 3', async ({
  run,
  linkctl,
  service,
  there,
}) => {
  await store(service, numbered(2));
  await linkctl(['tags', 'add', 'bad', 'good']);
  const post = { only: { method: 'POST', path: '/tags' } };
  await there.wire.script([{ ...faults.refuse(1311), ...post }]);
  const ran = await run(['copy', '--to', 'there', '--yes']);
  expect(ran).toMatchObject({ code: 3, stdout: 'h0\nh1\n' });
  const lines = ['warning: tag not added: the tag label "bad"', '2 links: 2 created', '1 tag added', 'error: 1 tag not added'];
  for (const line of lines) expect(ran.stderr).toContain(line);
  expect(await labelsThere(there)).toEqual(['good']);
});

test('E7, E9, P4: a copy that was killed amid its tags is one run: resumed by the same command, and undone', async ({
  run,
  profileEnv,
  linkctl,
  service,
  there,
}) => {
  await store(service, numbered(2));
  await linkctl(['tags', 'add', 'one', 'two']);
  const words = ['copy', '--to', 'there', '--yes'];
  const undo = ['undo', '--yes', '--profile', 'there'];
  const [post, after] = [{ only: { method: 'POST', path: '/tags' } }, { only: { method: 'POST' }, ...faults.silentAfter }];
  for (const isResumed of [true, false]) {
    await killed(words, after, { wire: there.wire, env: profileEnv }, isResumed ? [] : [post]);
    expect(await labelsThere(there)).toEqual(isResumed ? ['one'] : ['one', 'two']);
    if (isResumed)
      expect(await run(words)).toMatchObject({ code: 0, stdout: 'h0\nh1\n', stderr: expect.stringContaining('2 tags added') });
    const [, name = ''] = /(\d{8}-\S+)/.exec((await run(undo)).stderr) ?? [];
    expect(await run([...undo, name])).toMatchObject({ code: 0 });
    expect([await labelsThere(there), await copies(there)]).toEqual([[], []]);
  }
  const { runs } = JSON.parse((await run(['runs', '--profile', 'there', '-o', 'json'])).stdout);
  expect(runs.filter(({ what }: { what: string }) => what.startsWith('copy'))).toHaveLength(2);
});

describe('two accounts with the same domains', () => {
  const domains = [{ name: 'a.example' }, { name: 'b.example' }];
  test.override({ domains, otherDomains: domains });

  test.for<[what: string, step: Step, words: string[], hint: string, code: number]>([
    ['a refused tag', { ...faults.refuse(1311), only: { path: '/tags', method: 'POST' } }, [], 'linkctl -p there tags', 0],
    [
      'a lost answer',
      { ...faults.dropBefore, only: { path: '/urls', method: 'POST' }, times: 'all' },
      ['h0'],
      'the same command settles these rows and resumes; to check them: linkctl -p there list --domain b.example -- h0',
      5,
    ],
    ['a link that the source lacks', {}, ['h0', 'none'], 'linkctl -p here list --search none --domain b.example', 0],
  ])(
    'B45, P4: the command of a hint names the account that it is about: %s',
    async ([, step, words, hint, code], { run, linkctl, service, there }) => {
      await store(service, numbered(2), 'b.example');
      await linkctl(['tags', 'add', 'unused']);
      await there.wire.script([step]);
      const ran = await run(['copy', '--to', 'there', '--domain', 'b.example', '--yes', '-p', 'here', ...words], { haste: 50 });
      expect(/^hint: (.*)$/m.exec(ran.stderr)?.[1]).toBe(hint);
      const [, command = ''] = hint.split('linkctl ');
      expect(await run(command.split(' '))).toMatchObject({ code });
    },
  );
});

describe('a target with little room', () => {
  test.override({ otherLimits: { maxUrls: 5 } });

  test('P4, R-11: fewer links than the copy needs are left: nothing is sent', async ({ run, service, there }) => {
    await store(service, numbered(8));
    const ran = await run(['copy', '--to', 'there', '--yes']);
    expect(ran).toMatchObject({ code: 7, stdout: '' });
    expect(await changes(there.wire)).toEqual([]);
  });

  test('P4: a target that is full amid the copy stops it; the same command goes on when there is room', async ({
    run,
    service,
    there,
  }) => {
    await store(service, numbered(8));
    const words = ['copy', '--to', 'there', '--yes', '--force', '--batch-size', '2'];
    const ran = await run(words);
    expect(ran).toMatchObject({ code: 7, stdout: 'h0\nh1\nh2\nh3\nh4\n' });
    expect(ran.stderr).toMatch(/to resume run \S+, run the same command again/);
    for (const hash of ['h0', 'h1', 'h2']) await call(there.service, { method: 'DELETE', path: `/urls/${hash}` }, bob);
    expect(await run(words)).toMatchObject({ code: 0, stdout: expect.stringContaining('h5\nh6\nh7\n') });
    expect((await copies(there)).map(({ hash }) => hash)).toEqual(['h3', 'h4', 'h5', 'h6', 'h7']);
  });
});

test('P4, U2: links that somebody else makes there meanwhile are theirs: undo leaves them', async ({ run, service, there }) => {
  await store(service, numbered(3));
  await there.wire.script([{ only: { method: 'GET', path: '/account' }, held: true }]);
  const running = run(['copy', '--to', 'there', '--yes']);
  await there.wire.held();
  await storeThere(there, [
    { custom_hash: 'h0', long_url: 'https://example.com/0' },
    { custom_hash: 'h1', long_url: 'https://foreign.example/' },
  ]);
  await there.wire.release();
  const ran = await running;
  expect(ran).toMatchObject({ code: 3, stdout: 'h2\n', stderr: expect.stringContaining('h1: created since it was listed') });
  const name = JSON.parse((await run(['runs', '-o', 'json'])).stdout).runs[0].run;
  expect(await run(['undo', name, '--profile', 'there', '--yes'])).toMatchObject({ code: 0, stdout: 'h2\n' });
  expect((await copies(there)).map(({ hash }) => hash)).toEqual(['h0', 'h1']);
});

test('P4, D27: a server that makes links under other hashes is refused after the first', async ({ run, service, there }) => {
  await store(service, numbered(30));
  const other = { hash: 'other', short_url: 'localhost/other' };
  await there.wire.script([{ only: { method: 'POST' }, times: 'all', alter: { each: other } }]);
  const ran = await run(['copy', '--to', 'there', '--yes', '--batch-size', '10']);
  expect(ran).toMatchObject({ code: 8, stdout: '', stderr: expect.stringContaining('it created other instead of h0') });
  expect(await copies(there)).toHaveLength(1);
});

test('P4, U2: a terminal says how the copy is taken back, from the account where it is', async ({ run, service }) => {
  await store(service, numbered(2));
  const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 80, env: { NO_COLOR: '1' } };
  const ran = await run(['copy', '--to', 'there'], { ...watched, stdin: 'y\n' });
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/\nto undo it: linkctl undo --profile there \S+\n/) });
});

test('F1, F2, P4: a selection and filters say which links; a hash that does not exist fails by name', async ({
  run,
  service,
  there,
}) => {
  await store(service, [...numbered(4), { custom_hash: 'old', long_url: 'https://old.example/' }]);
  expect(await run(['copy', '--to', 'there', '--yes', '--filter', 'host=old.example'])).toMatchObject({
    code: 0,
    stdout: 'old\n',
  });
  const named = await run(['copy', '--to', 'there', '--yes', 'h1', 'nope', 'h3']);
  expect(named).toMatchObject({ code: 3, stdout: 'h3\nh1\n' });
  expect(named.stderr).toContain('nope');
  expect((await copies(there)).map(({ hash }) => hash)).toEqual(['old', 'h3', 'h1']);
});

test('B35, B88: where no link can be copied, each is an item of the output; the exit code is 5 if none exists, otherwise 3', async ({
  run,
  service,
  there,
  folder,
}) => {
  await store(service, numbered(2));
  await storeThere(there, [
    { custom_hash: 'h0', long_url: 'https://foreign.example/' },
    { custom_hash: 'h1', long_url: 'https://example.com/1' },
  ]);
  const copy = ['copy', '--to', 'there', '--yes', '-o', 'json'];
  const missing = await run([...copy, 'none', 'nosuch']);
  expect(missing).toMatchObject({ code: 5, stderr: expect.stringContaining('2 links left unchanged; nothing was changed') });
  expect(JSON.parse(missing.stdout)).toMatchObject({
    urls: [
      { hash: 'nosuch', status: 'failed', error: { code: 1306 } },
      { hash: 'none', status: 'failed', error: { code: 1306 } },
    ],
    summary: { rows: 2, failed: 2 },
  });
  const results = join(folder, 'results.csv');
  const tsv = await run(['copy', '--to', 'there', '--yes', 'nosuch', '--results', results]);
  expect(tsv).toMatchObject({ code: 5, stdout: '', stderr: expect.stringMatching(/^error: .*nosuch.* \[API 1306\]$/m) });
  expect(readFileSync(results, 'utf8')).toContain('1,failed,nosuch,');
  expect(await run([...copy, 'h0'])).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('another link has the hash there'),
  });
  expect(await run([...copy, 'h0', 'nosuch'])).toMatchObject({ code: 3 });
  // The other link is there as requested.
  expect(await run(copy)).toMatchObject({ code: 3, stdout: expect.stringContaining('"hash":"h0"') });
});

test('B54, B60, B62: nothing goes anywhere without an answer; each account gets its own credentials only', async ({
  run,
  profileEnv,
  env,
  service,
  there,
  wire,
}) => {
  await store(service, numbered(2));
  expect(await run(['copy', '--to', 'there'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes required') });
  const dry = await run(['copy', '--to', 'there', '-n']);
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stderr).toContain('2 links would be copied');
  expect(await changes(there.wire)).toEqual([]);
  const byEnv = runnerIn({ ...profileEnv, ...env, LINKCTL_DOMAIN: 'localhost' });
  expect(await byEnv(['copy', '--to', 'there', '--yes'])).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
  const keyOf = (name: string, key: string) => `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;
  const keys = async (server: FaultyServer) => [
    ...new Set((await server.requests()).map(({ headers }) => headers.authorization)),
  ];
  expect(await keys(wire)).toEqual([keyOf(username, apiKey)]);
  expect(await keys(there.wire)).toEqual([keyOf('bob', otherKey)]);
});

test.for([
  [['copy'], "missing required flag '--to'"],
  [['copy', '--to', 'here'], 'source and target of the copy are the same: profile "here"'],
  [['copy', '--to', 'nobody'], 'nobody'],
  [['copy', '--to', 'there', '--concurrency', '4'], '--concurrency: copy sends one request at a time'],
  [['copy', '--to', 'there', '--map-domain', 'x'], '--map-domain: expected <domain>=<domain>, got "x"'],
  [['copy', '--to', 'there', '--map-domain', 'typo.example=localhost'], 'typo.example is not a domain of profile "here"'],
  [['copy', '--to', 'there', '--map-domain', 'localhost=typo.example'], 'typo.example is not a domain of profile "there"'],
  [['copy', '--to', 'there', '--search', ' '], '--search: the text is empty'],
] as const)('P4: %j is refused, and nothing is sent', async ([words, message], { run, service, there }) => {
  await store(service, numbered(1));
  const ran = await run([...words, '--yes']);
  expect([2, 9]).toContain(ran.code);
  expect(ran.stderr).toContain(message);
  expect(await changes(there.wire)).toEqual([]);
});

test('P4: the sandbox is a target, and a source', async ({ run, service, there }) => {
  await store(service, numbered(3));
  expect(await run(['copy', '--to', 'sandbox', '--yes'])).toMatchObject({ code: 0, stdout: 'h0\nh1\nh2\n' });
  expect(await run(['copy', '--to', 'there', '--profile', 'sandbox', '--yes'])).toMatchObject({
    code: 0,
    stdout: 'h0\nh1\nh2\n',
  });
  expect((await copies(there)).map(({ hash }) => hash)).toEqual(['h0', 'h1', 'h2']);
  expect(await run(['copy', '--to', 'sandbox', '--profile', 'sandbox', '--yes'])).toMatchObject({ code: 2 });
});

describe('a domain whose name a shell would run', () => {
  test.override({ domains: [{ name: 'b.example' }, { name: '$({id,x}).example' }], otherDomains: [{ name: 'b.example' }] });

  test('B45: the hint quotes it', async ({ run, service }) => {
    for (const domain of ['b.example', '$({id,x}).example']) await store(service, numbered(1), domain);
    expect(await run(['copy', '--to', 'there', '--yes', '--all-domains'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("hint: add --map-domain '$({id,x}).example'=<one of b.example>\n"),
    });
  });
});

describe('two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });
  const all = ['copy', '--to', 'there', '--yes', '--all-domains'];
  const urls = (name: string, count = 3) =>
    Array.from({ length: count }, (_, index) => ({
      custom_hash: `${name}${index}`,
      long_url: `https://to.example/${name}/${index}`,
    }));

  describe('to two others', () => {
    test.override({ otherDomains: [{ name: 'c.example' }, { name: 'b.example' }] });

    test('P4: domains go where --map-domain says, else to those of the same name; the same hash on both stays two links', async ({
      run,
      service,
      there,
    }) => {
      for (const domain of ['a.example', 'b.example']) {
        await store(service, [{ custom_hash: 'hash', long_url: `https://to.${domain}/hash` }], domain);
        await store(service, urls(domain[0] ?? ''), domain);
      }
      expect(await run(all)).toMatchObject({ code: 2, stderr: expect.stringContaining('does not have a.example') });
      expect(await changes(there.wire)).toEqual([]);
      const ran = await run([...all, '--map-domain', 'A.example=c.example']);
      expect(ran).toMatchObject({ code: 0 });
      expect((await copies(there, 'c.example')).map(({ hash }) => hash)).toEqual(['hash', 'a0', 'a1', 'a2']);
      expect((await copies(there, 'b.example')).map(({ hash }) => hash)).toEqual(['hash', 'b0', 'b1', 'b2']);
      expect((await copies(there, 'c.example'))[0]?.long_url).toBe('https://to.a.example/hash');
      const again = await run([...all, '--map-domain', 'a.example=c.example', '-o', 'json']);
      expect(JSON.parse(again.stdout).summary).toMatchObject({ rows: 8, existing: 8, failed: 0 });
    });

    test('P4: links of one domain go to the working domain of the target', async ({ run, service, there }) => {
      await store(service, urls('a'), 'a.example');
      expect(await run(['copy', '--to', 'there', '--yes'])).toMatchObject({ code: 0 });
      expect((await copies(there, 'c.example')).map(({ hash }) => hash)).toEqual(['a0', 'a1', 'a2']);
    });

    test('P4: from one domain to another of the same account', async ({ run, service }) => {
      await store(service, urls('a'), 'a.example');
      const ran = await run(['copy', '--to', 'here', '--yes', '--map-domain', 'a.example=b.example']);
      expect(ran).toMatchObject({ code: 0, stdout: 'a0\na1\na2\n' });
      expect((await stored(service, 'b.example')).map(({ hash }) => hash)).toEqual(['a0', 'a1', 'a2']);
      const same = await run(['copy', '--to', 'here', '--yes', '--map-domain', 'a.example=a.example']);
      expect(same).toMatchObject({ code: 2, stderr: expect.stringContaining('are the same') });
    });
  });

  describe('to edition b', () => {
    test.override({ otherEdition: 'b' });

    test('P4: two domains become one; links that would share a hash are said before anything is sent', async ({
      run,
      service,
      there,
    }) => {
      await store(service, urls('a'), 'a.example');
      await store(service, urls('b'), 'b.example');
      expect(await run(all)).toMatchObject({ code: 0 });
      expect((await copies(there)).map(({ hash }) => hash).sort()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
      await store(service, [{ custom_hash: 'twin', long_url: 'https://one.example/' }], 'a.example');
      await store(service, [{ custom_hash: 'twin', long_url: 'https://two.example/' }], 'b.example');
      const before = (await changes(there.wire)).length;
      const ran = await run(all);
      expect(ran).toMatchObject({ code: 2 });
      expect(ran.stderr).toContain('1 link would have the hash of another one; nothing was copied');
      expect(ran.stderr).toContain('a.example/twin and b.example/twin would both be twin');
      expect(await changes(there.wire)).toHaveLength(before);
    });
  });
});
