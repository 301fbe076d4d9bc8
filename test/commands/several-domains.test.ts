import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { RunningService } from '../../src/service/service.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, runnerIn, sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import type { World } from '../support/test-system.ts';
import { newestFor, redoLast, singly, stopped, undoLast, values } from './undo-world.ts';

/** Hashes that a reader of lists could take for something else. */
const oddHashes = ['hash', 'short_url', 'null', 'promo1'];
const odd = oddHashes.map((custom_hash) => ({ custom_hash, long_url: `https://example.com/${custom_hash}` }));

/** The requests that change something. */
async function changes(wire: Parameters<typeof sent>[0]): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'));
}

async function hashesOn(service: RunningService, domain?: string): Promise<string[]> {
  return (await stored(service, domain)).map(({ hash }) => hash);
}

const bulkChanges: readonly (readonly [words: readonly string[], kind: string])[] = [
  [['delete', '--yes'], 'delete'],
  [['edit', '--note', 'x'], 'edit'],
  [['stats', '--reset', '--yes'], 'reset'],
];

describe('two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });
  const both = ['a.example', 'b.example'];
  const refusal = 'line 3: "promo1" may be on a.example or b.example: add a short_url or a domain column, or set --domain';

  test.for(bulkChanges)(
    'F5, D16: %j refuses bare hashes from a file: exit 2, and nothing is sent',
    async ([words], { linkctl, wire, service, folder }) => {
      for (const domain of both) await store(service, odd, domain);
      const path = join(folder, 'hashes.txt');
      writeFileSync(path, '# mine\nb.example/null\npromo1\n');
      expect(await linkctl([...words, '--hashes-from', path])).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: ${path}, ${refusal}\n`,
      });
      expect(await linkctl([...words, '--hashes-from', '-'], { stdin: '\n\npromo1\nnull\n' })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`error: stdin, ${refusal}\n`),
      });
      expect(await linkctl([...words, '--hashes-from', path, '--dry-run'])).toMatchObject({ code: 2 });
      expect([...new Set((await sent(wire)).map(({ call }) => call))]).toEqual(['GET /domains']);
    },
  );

  test('F6, F7: an order of several domains is said to be one of each domain, and where all links are ordered by clicks', async ({
    linkctl,
    service,
  }) => {
    for (const domain of both) await store(service, numbered(2), domain);
    const notes = async (...words: string[]): Promise<string> => (await linkctl(['list', ...words])).stderr;
    const separately = 'Each domain is ordered separately.';
    const byClicks = `${separately} To order the links of all domains by clicks, use stats --all-domains.\n`;
    expect(await notes('--all-domains', '--order-by', 'clicks', '--limit', '1')).toContain(byClicks);
    expect(await notes('--all-domains', '--order-by', 'clicks')).toBe(byClicks);
    expect(await notes('--all-domains', '--order-by', 'modified')).toBe(`${separately}\n`);
    for (const words of [
      ['--all-domains'],
      ['--order-by', 'clicks', '--domain', 'a.example'],
      ['--all-domains', '--order-by', 'hash', '-q'],
    ])
      expect(await notes(...words)).toBe('');
    expect(await notes('--by-tags', 'x', '--order-by', 'clicks')).not.toContain(separately);
  });

  test('W2, K5, F5: what is written for edit -f names links by their short URLs, also if all are on one domain', async ({
    linkctl,
    service,
    folder,
  }) => {
    for (const domain of both) await store(service, numbered(1), domain);
    const plan = await linkctl(['rewrite', 'https://example.com', 'https://new.example', '--all', '-n', '-o', 'csv']);
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringMatching(/^short_url,long_url,old_long_url,/) });
    const path = join(folder, 'plan.csv');
    writeFileSync(path, plan.stdout);
    expect((await linkctl(['edit', '-f', path])).code).toBe(0);
    expect((await stored(service, 'a.example')).map(({ long_url }) => long_url)).toEqual(['https://new.example/0']);
    expect((await stored(service, 'b.example')).map(({ long_url }) => long_url)).toEqual(['https://example.com/0']);
    const moved = await linkctl(['check', '--only', 'moved', '-n', '-o', 'csv']);
    expect(moved).toMatchObject({ code: 0, stdout: 'short_url,long_url,old_long_url,reason\n' });
  });

  test('B43: a named link of an unknown domain is missing beside others, which are shown', async ({ linkctl, service }) => {
    for (const domain of both) await store(service, numbered(1), domain);
    const names = ['h0', 'https://zzz.example/q', 'b.example/h0'];
    const listed = await linkctl(['list', ...names, '--fields', 'short_url']);
    expect(listed).toMatchObject({ code: 3, stdout: 'a.example/h0\nb.example/h0\n' });
    const [why, hint] = ['no short URL "q" on zzz.example: no such domain on this account', 'hint: linkctl domains\n'];
    expect(listed.stderr).toContain(`error: ${why} [API 1313]\n`);
    expect(listed.stderr).toContain(hint);
    expect(listed.stderr).not.toContain('--domain zzz.example');
    const { urls } = JSON.parse((await linkctl(['list', ...names, '-o', 'json'])).stdout);
    expect(urls[1]).toMatchObject({ hash: 'q', domain: 'zzz.example', error: { code: 1313 } });
    for (const words of [['stats'], ['check', '--allow-private', '--fail-on', 'broken']]) {
      const { stderr } = await linkctl([...words, ...names]);
      expect(stderr, words[0]).toContain(`error: ${why} [API 1313]\n`);
      expect(stderr, words[0]).toContain(hint);
    }
    const stats = { stdout: 'a.example/h0\t0\t0\nb.example/h0\t0\t0\n' };
    expect(await linkctl(['stats', ...names])).toMatchObject({ code: 3, ...stats });
    expect(await linkctl(['stats', ...names, '--ignore-missing'])).toMatchObject({ code: 0, ...stats });
    expect(await linkctl(['list', 'zzz.example/q', 'yyy.example/q'])).toMatchObject({ code: 5, stdout: '' });
    expect((await linkctl(['list', 'zzz.example/q'])).stderr).toContain('no domain "zzz.example" on this account');
  });

  test.for(['list', 'stats', 'check'])(
    'F5: %s says on which domain bare hashes of a file are read',
    async (command, { linkctl, service, folder }) => {
      for (const domain of both) await store(service, numbered(1), domain);
      const path = join(folder, 'hashes.txt');
      const read = async (line: string, ...flags: string[]) => {
        writeFileSync(path, `${line}\n`);
        return (await linkctl([command, '--hashes-from', path, ...flags])).stderr;
      };
      const warning = 'warning: hashes without a domain are read on a.example: ';
      expect(await read('h0')).toContain(warning);
      expect(await read('h0\nb.example/h0')).toContain(warning);
      for (const stderr of [await read('b.example/h0'), await read('h0', '--domain', 'b.example')]) {
        expect(stderr).not.toContain('without a domain');
      }
    },
  );

  test('B60: a dry run shows a call for the links of each domain', async ({ linkctl }) => {
    const planned = async (words: readonly string[], stdin = '') => {
      const { requests } = JSON.parse((await linkctl([...words, '--no-undo', '-n', '--json'], { stdin })).stdout);
      return requests.map(({ query }: { readonly query: object }) => query);
    };
    expect(await planned(['delete', 'h0', 'b.example/h1', 'h2'])).toEqual([
      { hashes: 'h0,h2', domain: 'a.example' },
      { domain: 'b.example' },
    ]);
    const rows = 'short_url,note\na.example/h0,1\nb.example/h1,2\n';
    expect(await planned(['edit', '-f', '-', '--input-format', 'csv'], rows)).toEqual([
      { domain: 'a.example' },
      { domain: 'b.example' },
    ]);
  });

  test.for<[text: string, words: readonly string[], world?: World]>([
    ['typed', ['h0', 'https://zzz.example/q']],
    ['typed with another domain', ['b.example/h0', 'https://zzz.example/q', '--ignore-missing']],
    ['beside a working domain', ['h0', 'https://zzz.example/q'], { env: { LINKCTL_DOMAIN: 'a.example' } }],
    ['in a file', ['--hashes-from', '-'], { stdin: 'b.example/h0\nzzz.example/q\n' }],
  ])(
    'D18, F5: a change of links on an unknown domain too is refused before its first request: %s',
    async ([, words, world], { linkctl, service, wire }) => {
      for (const domain of both) await store(service, numbered(1), domain);
      const complaint = '"zzz.example/q" is not a short URL of this account, which has links on a.example and b.example';
      expect(await linkctl(['delete', ...words, '--yes'], world)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(complaint),
      });
      expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /domains']);
    },
  );

  test.for(bulkChanges)(
    'F5: %j --hashes-from acts on the domain that a csv names, whatever the working domain is',
    async ([words], { linkctl, service }) => {
      for (const domain of both) await store(service, odd, domain);
      const state = async () => [await values(service, 'a.example'), (await stored(service, 'a.example')).length];
      const before = await state();
      const list = { stdin: 'hash,domain\npromo1,b.example\n' };
      const ran = await linkctl([...words, '--hashes-from', '-', '-o', 'json'], {
        ...list,
        env: { LINKCTL_DOMAIN: 'a.example' },
      });
      expect(ran.code).toBe(0);
      expect(ran.stdout).toContain('b.example/promo1');
      expect(await state()).toEqual(before);
      const contradicted = await linkctl([...words, '--hashes-from', '-', '--domain', 'a.example'], list);
      expect(contradicted).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('b.example/promo1 is not on --domain a.example'),
      });
    },
  );

  test.for(bulkChanges)('B58: %j says which domains its rows are on', async ([words], { linkctl, service }) => {
    for (const domain of both) await store(service, odd, domain);
    const run = async (stdin: string) => {
      const { stderr } = await linkctl([...words, '--hashes-from', '-'], { stdin });
      return stderr.split('\n').filter((line) => line.includes(' on 127.0.0.1:'));
    };
    const place = (where: string) => [expect.stringContaining(`, ${where}; `), expect.stringMatching(new RegExp(`, ${where}$`))];
    expect(await run('b.example/hash\n')).toEqual(place('domain b.example'));
    expect(await run('b.example/null\na.example/null\n')).toEqual(place('domains b.example and a.example'));
  });

  test.for([
    { name: 'a created link', words: ['shorten', 'https://made.example/', '--hash', 'x'], isNew: true },
    { name: 'a link in doubt before', words: ['shorten', 'https://made.example/', '--hash', 'x', '--on-conflict', 'update'] },
    { name: 'an edited link', words: ['edit', 'x', '--note', 'changed'] },
    { name: 'a deleted link', words: ['delete', 'x', '--yes'] },
  ])(
    'U2: undo and redo of $name leave its namesake on another domain alone, whatever the working domain is now',
    async ({ words, isNew }, { linkctl, service }) => {
      const link = { custom_hash: 'x', long_url: 'https://own.example/' };
      if (!isNew) await store(service, [link], 'a.example');
      await store(service, [{ ...link, long_url: 'https://precious.example/', note: 'keep' }], 'b.example');
      const state = async () => [await values(service, 'a.example'), await values(service, 'b.example')];
      const before = await state();
      expect((await linkctl(words)).code).toBe(0);
      const after = await state();
      expect(after).not.toEqual(before);
      const world = { env: { LINKCTL_DOMAIN: 'b.example' } };
      expect((await undoLast(linkctl, [], world)).code).toBe(0);
      expect(await state()).toEqual(before);
      expect((await redoLast(linkctl, [], world)).code).toBe(0);
      expect(await state()).toEqual(after);
    },
  );

  test('U2: an undo that is resumed names the domain of its run, whatever the working domain is now', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, numbered(3), 'a.example');
    const path = join(folder, 'notes.csv');
    writeFileSync(path, 'hash,note\nh0,x\nh1,x\nh2,x\n');
    expect((await linkctl(['edit', '-f', path, '--domain', 'a.example', '--yes'])).code).toBe(0);
    const run = await newestFor('undo', linkctl);
    await stopped(['undo', run, ...singly], 'PATCH', { linkctl, wire });
    const terminal = { stdin: true, stdout: true, stderr: true };
    const world = { terminal, columns: 200, stdin: 'n\n', env: { NO_COLOR: '1', LINKCTL_DOMAIN: 'b.example' } };
    const asked = await linkctl(['undo', run], world);
    expect(asked.stderr).toContain('the remaining 2 links of account');
    expect(asked.stderr).toMatch(/domain a\.example\?/);
  });

  test('F5: the same in edit -f, where a short_url or a domain column says it', async ({ linkctl, wire, service }) => {
    for (const domain of both) await store(service, odd, domain);
    const edit = (stdin: string, ...flags: string[]) =>
      linkctl(['edit', '-f', '-', '--input-format', 'csv', ...flags], { stdin });
    expect(await edit('hash,note\nb.example/promo1,x\npromo1,x\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`error: stdin, ${refusal}\n`),
    });
    expect(await changes(wire)).toEqual([]);
    for (const text of [
      'hash,domain,note\npromo1,b.example,one\n',
      'hash,short_url,note\npromo1,b.example/promo1,two\n',
      'short_url,note\nhttps://b.example/promo1,three\n',
      'hash,domain,short_url,note\nb.example/promo1,B.EXAMPLE,b.example/promo1,four\n',
    ]) {
      expect(await edit(text)).toMatchObject({ code: 0 });
    }
    expect(await edit('hash,note\npromo1,five\n', '--domain', 'b.example')).toMatchObject({ code: 0 });
    expect(await changes(wire)).toEqual(new Array(5).fill('PATCH /urls?domain=b.example'));
    expect((await stored(service, 'b.example')).find(({ hash }) => hash === 'promo1')?.note).toBe('five');
    expect((await stored(service, 'a.example')).map(({ note }) => note)).toEqual(['', '', '', '']);
  });

  test('D19: columns that contradict each other are exit 2', async ({ linkctl, wire }) => {
    for (const stdin of [
      'hash,domain,note\na.example/x,b.example,n\n',
      'hash,short_url,note\na.example/x,b.example/x,n\n',
      'hash,domain,short_url,note\nx,a.example,b.example/x,n\n',
      // A short URL of another form still has a host.
      'hash,domain,short_url,note\nx,a.example,b.example/go/x,n\n',
    ]) {
      const ran = await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin });
      expect(ran).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/:2: hash: .* has two domains, [ab]\.example and [ab]\.example$/m),
      });
    }
    expect(await wire.requests()).toEqual([]);
  });

  test('F5: an effective domain, by flag, variable or profile, says where bare hashes are, and no call asks', async ({
    linkctl,
    wire,
    service,
    homeEnv,
  }) => {
    for (const domain of both) await store(service, odd, domain);
    const words = ['delete', '--hashes-from', '-', '-y'];
    expect(await linkctl([...words, '--domain', 'b.example'], { stdin: 'null\n' })).toMatchObject({ code: 0 });
    expect(await linkctl(words, { stdin: 'abc\nhash\n', env: { LINKCTL_DOMAIN: 'b.example' } })).toMatchObject({ code: 3 });
    const home = runnerIn(homeEnv);
    const login = ['auth', 'login', '--profile', 'p', '--base-url', wire.baseUrl, '--username', 'ann', '--with-key'];
    await home([...login, '--domain', 'b.example', '--edition', 'a'], { stdin: apiKey });
    const before = (await wire.requests()).length;
    expect(await home(words, { stdin: 'promo1\n' })).toMatchObject({ code: 0 });
    expect((await sent(wire)).slice(before).map(({ call }) => call)).not.toContain('GET /domains');
    expect([await hashesOn(service, 'a.example'), await hashesOn(service, 'b.example')]).toEqual([oddHashes, ['short_url']]);
  });

  test('B45: hints and the line about undo repeat a typed profile and domain, so they act on the same account', async ({
    wire,
    service,
    homeEnv,
  }) => {
    await store(service, odd, 'b.example');
    const home = runnerIn(homeEnv);
    const login = ['--base-url', wire.baseUrl, '--username', 'ann', '--with-key', '--edition', 'a'];
    for (const profile of ['first', 'work']) await home(['auth', 'login', '-p', profile, ...login], { stdin: apiKey });
    const missing = ['edit', 'none', '--note', 'x'];
    const hintOf = async (words: readonly string[]) => (await home(words)).stderr.match(/^hint: (.*)$/m)?.[1];
    expect(await hintOf(missing)).toBe('linkctl list --search none');
    expect(await hintOf([...missing, '-p', 'work'])).toBe('linkctl -p work list --search none');
    const taken = ['shorten', 'https://other.example/', '--hash', 'hash', '-p', 'work', '--domain', 'b.example'];
    expect(await hintOf(taken)).toMatch(/: linkctl -p work list --domain b\.example -- hash$/);
    const json = await home([...missing, '-p', 'work', '-o', 'json']);
    expect(JSON.parse(json.stderr).error.hint).toBe('linkctl -p work list --search none');
    const words = ['edit', '--hashes-from', '-', '--note', 'x', '-p', 'work', '--domain', 'b.example'];
    const edited = await home(words, { stdin: 'null\n' });
    const [, command = ''] = /^to undo it: linkctl (-p work undo \S+)$/m.exec(edited.stderr) ?? [];
    const undone = await home([...command.split(' '), '--yes']);
    expect(undone).toMatchObject({ code: 0, stderr: expect.stringMatching(/^to redo it: linkctl -p work redo /m) });
    expect((await stored(service, 'b.example')).every(({ note }) => note === '')).toBe(true);
  });

  test.for<[words: string, method: string, shown: string]>([
    ['delete b.example/h0 --yes', 'DELETE', 'list --domain b.example -- h0'],
    ['delete b.example/h0 b.example/h1 --yes', 'DELETE', 'list --domain b.example -- h0 h1'],
    ['edit b.example/h0 --note x', 'PATCH', 'list --domain b.example -- h0'],
    ['edit h0 --note x --domain b.example', 'PATCH', 'list --domain b.example -- h0'],
    ['edit b.example/h0 b.example/h1 --note x --yes', 'PATCH', 'list --domain b.example -- h0 h1'],
    [
      'rewrite --host example.com=example.org --domain b.example --yes --max-affected 2',
      'PATCH',
      'list --domain b.example -- h1 h0',
    ],
    ['stats b.example/h0 --reset --yes', 'DELETE', 'stats --domain b.example -- h0'],
    ['stats h0 h1 --reset --yes --domain b.example', 'DELETE', 'stats --domain b.example -- h0 h1'],
  ])(
    'B45: after a lost answer, the command of the hint shows the links that were meant: %s',
    async ([words, method, shown], { linkctl, wire, service }) => {
      await store(service, numbered(2), 'b.example');
      await wire.script([{ ...faults.dropBefore, only: { method }, times: 'all' }]);
      const ran = await linkctl(words.split(' '), { haste: 50 });
      expect(ran.code).toBe(10);
      const isRun = words.startsWith('rewrite');
      const advice = isRun ? 'the same command settles these rows and resumes; to check them' : 'check before repeating';
      expect(ran.stderr).toContain(`\nhint: ${advice}: linkctl ${shown}\n`);
      expect(await linkctl(shown.split(' '))).toMatchObject({ code: 0, stdout: expect.stringContaining('h0') });
    },
  );

  test('B45: the command of a hint is about the domain of the short URL: a taken hash, a missing link', async ({
    linkctl,
    service,
  }) => {
    await store(service, numbered(2), 'b.example');
    const taken = await linkctl(['edit', 'b.example/h0', '--new-hash', 'h1']);
    expect(taken).toMatchObject({ code: 6 });
    expect(taken.stderr).toMatch(
      /^hint: choose another hash; to see the existing link: linkctl list --domain b\.example -- h1$/m,
    );
    const missing = await linkctl(['stats', 'b.example/none', '-o', 'csv']);
    expect(missing).toMatchObject({ code: 5 });
    expect(missing.stderr).toMatch(/^hint: linkctl list --search none --domain b\.example$/m);
  });

  test('B45, R 2.1: resets in doubt of links on both domains are named by short URLs, and no more than five', async ({
    linkctl,
    wire,
    service,
  }) => {
    for (const domain of both) await store(service, numbered(3), domain);
    const names = both.flatMap((domain) => ['h0', 'h1', 'h2'].map((hash) => `${domain}/${hash}`));
    const reset = async () => await linkctl(['stats', '--reset', '--hashes-from', '-', '--yes'], { stdin: names.join('\n') });
    // Links of different domains are in different calls, and the first one in doubt ends the command.
    await wire.script([{ ...faults.dropAfter, only: { method: 'DELETE' }, times: 2 }]);
    for (const domain of both) {
      const shown = `linkctl stats --domain ${domain} -- h0 h1 h2`;
      expect(await reset()).toMatchObject({
        code: 10,
        stderr: expect.stringContaining(`hint: check before repeating: ${shown}\n`),
      });
    }
    const shown = ['stats', '--', ...names.slice(0, 5)];
    expect(await reset()).toMatchObject({
      code: 10,
      stderr: expect.stringContaining(`hint: check before repeating (the first 5): linkctl ${shown.join(' ')}\n`),
    });
    expect(await linkctl(shown)).toMatchObject({ code: 0 });
    expect((await changes(wire)).length).toBe(2);
  });

  test('D19: a hash and its short URL on the default domain are one link, typed and in a file', async ({
    linkctl,
    wire,
    service,
  }) => {
    for (const domain of both) await store(service, odd, domain);
    const ran = await linkctl(['delete', 'null', 'a.example/null', 'https://A.example/null', 'b.example/null', '-y', '--json']);
    expect(JSON.parse(ran.stdout).summary).toMatchObject({ rows: 2, deleted: 2, failed: 0 });
    expect(await changes(wire)).toEqual(['DELETE /urls/null?domain=a.example', 'DELETE /urls/null?domain=b.example']);
    const shown = await linkctl(['list', 'hash', 'a.example/hash', '--fields', 'short_url']);
    expect(shown).toMatchObject({ code: 0, stdout: 'a.example/hash\n' });
    const read = await linkctl(['stats', '--hashes-from', '-', '--fields', 'short_url'], {
      stdin: 'promo1\nb.example/hash\na.example/promo1\n',
    });
    expect(read).toMatchObject({ code: 0, stdout: 'a.example/promo1\nb.example/hash\n' });
  });

  test('hashes that are typed act on the default domain, as the API says, and cost no call for it', async ({
    linkctl,
    wire,
    service,
  }) => {
    for (const domain of both) await store(service, odd, domain);
    expect(await linkctl(['delete', 'hash', '-y'])).toMatchObject({ code: 0, stdout: 'hash\n' });
    expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /urls?hashes=hash&limit=1', 'DELETE /urls/hash']);
    expect(await hashesOn(service, 'b.example')).toEqual(oddHashes);
  });

  test('F5: what is changed on several domains is named by its short URL', async ({ linkctl, service, folder, written }) => {
    for (const domain of both) await store(service, odd, domain);
    const names = ['a.example/null', 'b.example/null'];
    const lines = `${names.join('\n')}\n`;
    expect(await linkctl(['edit', ...names, '--note', 'x'])).toMatchObject({ code: 0, stdout: lines });
    expect(await linkctl(['stats', ...names, '--reset', '-y'])).toMatchObject({ code: 0, stdout: lines });
    const results = join(folder, 'results.csv');
    expect(await linkctl(['delete', '--hashes-from', '-', '-y', '--results', results], { stdin: lines })).toMatchObject({
      code: 0,
      stdout: lines,
    });
    expect(written(results)).toMatch(
      /deleted,null,(http:\/\/)?a\.example\/null,.*\n2,deleted,null,(http:\/\/)?b\.example\/null,/,
    );
    const gone = await linkctl(['delete', ...names, '-y']);
    expect(gone).toMatchObject({ code: 5, stderr: expect.stringContaining('no short URL "b.example/null"') });
    expect(gone.stderr).toMatch(/^hint: linkctl list --search null --domain [ab]\.example$/m);
    const watched = { terminal: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } };
    expect((await linkctl(['edit', 'a.example/hash', 'b.example/hash', '--note', 'x'], watched)).stdout).toBe(
      '✓ Changed a.example/hash → https://example.com/hash\n✓ Changed b.example/hash → https://example.com/hash\n',
    );
  });

  test('D21: a domain of the environment beside --by-tags is a warning, not an error over a flag that nobody typed', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(1, { tags: ['p'] }), 'a.example');
    await store(service, numbered(1, { tags: ['p'] }), 'b.example');
    const env = { LINKCTL_DOMAIN: 'b.example' };
    const warning = 'warning: tag selections act on all domains, not only on b.example\n';
    expect(await linkctl(['list', '--by-tags', 'p', '--fields', 'short_url'], { env })).toEqual({
      code: 0,
      stdout: 'b.example/h0\na.example/h0\n',
      stderr: warning,
    });
    expect(await linkctl(['stats', '--by-tags', 'p', '--fields', 'hash'], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(warning),
    });
    expect(await linkctl(['list', '--by-tags', 'p', '--domain', 'b.example'], { env })).toMatchObject({ code: 2 });
    expect((await changes(wire)).length).toBe(0);
    // A short URL says more than a default.
    expect(await linkctl(['list', 'a.example/h0', '--fields', 'short_url'], { env })).toMatchObject({
      code: 0,
      stdout: 'a.example/h0\n',
    });
  });
});

describe('one domain, edition A', () => {
  test.override({ domains: [{ name: 'a.example' }] });

  test('D19: bare hashes of a file are where the account is, one row each, whatever else names them', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, odd);
    const stdin = 'x\nnull\na.example/null\npromo1\n';
    const ran = await linkctl(['delete', '--hashes-from', '-', '-y', '--json'], { stdin });
    expect(JSON.parse(ran.stdout).summary).toMatchObject({ rows: 3, deleted: 2, failed: 1 });
    expect((await sent(wire)).filter(({ call }) => call === 'GET /domains')).toHaveLength(1);
    const twice = await linkctl(['edit', '-f', '-', '--input-format', 'csv'], {
      stdin: 'hash,note\nhash,one\na.example/hash,two\n',
    });
    expect(twice).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stdin:3: hash: "a.example/hash" is already on line 2'),
    });
    const once = await linkctl(['edit', '-f', '-', '--input-format', 'csv'], {
      stdin: 'hash,note\nhash,one\na.example/short_url,two\n',
    });
    expect(once).toMatchObject({ code: 0, stdout: 'hash\nshort_url\n' });
    expect((await stored(service)).map(({ hash, note }) => [hash, note])).toEqual([
      ['hash', 'one'],
      ['short_url', 'two'],
    ]);
  });
});

describe('edition B', () => {
  test.override({ edition: 'b', domains: [{ name: 's.ex' }] });

  test('B45: the command of a hint has no --domain, whatever the link was named by', async ({ linkctl, wire, service }) => {
    await store(service, numbered(2));
    expect((await linkctl(['edit', 's.ex/h0', '--new-hash', 'h1'])).stderr).toContain(
      'see the existing link: linkctl list -- h1\n',
    );
    await wire.script([{ ...faults.dropBefore, only: { method: 'DELETE' }, times: 'all' }]);
    const ran = await linkctl(['delete', 's.ex/h0', '--yes'], { haste: 50 });
    expect(ran).toMatchObject({ code: 10, stderr: expect.stringMatching(/^hint: check before repeating: linkctl list -- h0$/m) });
  });

  test('D18, F5: a short URL of another host is refused for every change, and nothing is changed', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, odd);
    const foreign = 'https://bit.ly/null';
    const complaint = '"bit.ly/null" is not a short URL of this account, which has links on s.ex';
    for (const [words] of bulkChanges) {
      expect(await linkctl([...words, 'hash', foreign])).toMatchObject({ code: 2, stdout: '', stderr: `error: ${complaint}\n` });
      expect(await linkctl([...words, '--hashes-from', '-'], { stdin: `hash\n${foreign}\n` })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`error: stdin, line 2: ${complaint}\n`),
      });
    }
    for (const stdin of [
      `hash,note\nhash,x\n${foreign},x\n`,
      `hash,short_url,note\nhash,s.ex/hash,x\nnull,bit.ly/null,x\n`,
      'hash,domain,note\nhash,s.ex,x\nnull,bit.ly,x\n',
    ]) {
      expect(await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`error: stdin, line 3: ${complaint}\n`),
      });
    }
    expect(await changes(wire)).toEqual([]);
  });

  test('D18: a csv whose domain column names another host is refused, and nothing is changed', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    const ran = await linkctl(['delete', '--hashes-from', '-', '--yes'], { stdin: 'hash,domain\nh0,two.ex\n' });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('"two.ex/h0" is not a short URL of this account') });
    expect(await hashesOn(service)).toEqual(['h0']);
  });

  test('D18: its own host, in any spelling, and its custom domain are taken; reading takes any', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, odd);
    expect(await linkctl(['delete', 'https://S.EX/null', '-y'])).toMatchObject({ code: 0, stdout: 'null\n' });
    expect((await sent(wire)).map(({ call }) => call)).toEqual([
      'GET /urls?limit=1',
      'GET /urls?hashes=null&limit=1',
      'DELETE /urls/null',
    ]);
    await wire.script([
      {
        only: { path: '/account' },
        answer: {
          body: { error: { code: 0, message: '' }, account: { username: 'ann', custom_domain: 'Go.Example', counters: {} } },
        },
      },
    ]);
    expect(await linkctl(['delete', 'go.example/hash', 's.ex/promo1', '-y'])).toMatchObject({
      code: 0,
      stdout: 'hash\npromo1\n',
    });
    expect(await linkctl(['list', 'https://bit.ly/short_url', '--fields', 'hash'])).toMatchObject({ code: 0 });
    expect(await hashesOn(service)).toEqual(['short_url']);
  });

  test('D18: a custom domain that is written as a URL is its host, on a server that shows no short URLs', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(1));
    const account = { username: 'ann', custom_domain: 'https://Go.Example/', counters: {} };
    await wire.script([
      { only: { path: '/account' }, times: 'all', answer: { body: { error: { code: 0, message: '' }, account } } },
      { times: 'all', alter: { each: { short_url: undefined, short_url_with_protocol: undefined } } },
    ]);
    expect(await linkctl(['delete', 'other.example/h0', '-y'])).toMatchObject({ code: 2 });
    expect(await linkctl(['delete', 'go.example/h0', '-y'])).toMatchObject({ code: 0, stdout: 'h0\n' });
    expect(await hashesOn(service)).toEqual([]);
  });

  test('D19: two spellings are one link', async ({ linkctl, service }) => {
    await store(service, odd);
    const ran = await linkctl(['delete', '--hashes-from', '-', '-y', '--json'], {
      stdin: 'null\ns.ex/null\nhttp://S.EX:80/null\n',
    });
    expect(JSON.parse(ran.stdout).summary).toMatchObject({ rows: 1, deleted: 1 });
    const stdin = 'hash,note\nhash,one\ns.ex/hash,two\n';
    expect(await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is already on line 2'),
    });
  });
});
