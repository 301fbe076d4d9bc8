import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { decodeLine } from '../../src/bulk/journal/lines.ts';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { undoLast } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } };

async function calls(wire: Parameters<typeof sent>[0]): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call.split(/[/?]/, 2).join('/'));
}

async function changesSent(wire: Parameters<typeof sent>[0]): Promise<number> {
  return (await calls(wire)).filter((call) => !call.startsWith('GET')).length;
}

function stateFolder(folder: string): string {
  return join(folder, '.local', 'state', 'linkctl');
}

/** The images of all runs, a file each; of typed links all is in one file. */
function imageFiles(folder: string): string[] {
  const runs = join(stateFolder(folder), 'runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .map((run) => (run.endsWith('.log') ? join(runs, run) : join(runs, run, 'before.log')))
    .filter((path) => existsSync(path));
}

function recordsIn(path = ''): unknown[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(decodeLine)
    .flatMap((line) => (line?.type === 'before' ? line.records : []));
}

const inThrees = ['--batch-size', '2', '--concurrency', '1'];

/** Edits of h0, h1, …, which a list of hashes may be, too. */
function rowsFile(folder: string, count: number): string {
  const path = join(folder, 'rows.csv');
  writeFileSync(
    path,
    `hash,note\n${numbered(count)
      .map(({ custom_hash }) => `${custom_hash},n\n`)
      .join('')}`,
  );
  return path;
}

function listed(folder: string, links: readonly string[]): string {
  const path = join(folder, 'hashes.txt');
  writeFileSync(path, links.map((link) => `${link}\n`).join(''));
  return path;
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });
  // The domain's name is asked for on edition A, the quota on both.
  const around = edition === 'a' ? ['GET /domains', 'GET /account'] : ['GET /account'];

  const runs = [
    ['edit -f', ['edit', '-f'], 'PATCH /urls'],
    ['edit --hashes-from', ['edit', '--note', 'n', '--hashes-from'], 'PATCH /urls'],
    ['delete --hashes-from', ['delete', '--yes', '--hashes-from'], 'DELETE /urls'],
  ] as const;

  test.for(runs)(
    'U1: %s of three batches reads each batch once, and keeps the whole links',
    async ([, words, call], { linkctl, wire, service, folder }) => {
      await store(service, numbered(6));
      const before = await stored(service);
      const ran = await linkctl([...words, rowsFile(folder, 6), ...inThrees]);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(' at least 3 requests)\n') });
      const pair = ['GET /urls', call];
      expect(await calls(wire)).toEqual([...around, ...pair, ...pair, ...pair]);
      const images = imageFiles(folder);
      expect(images).toHaveLength(1);
      expect(statSync(images[0] ?? '').mode & 0o777).toBe(0o600);
      expect(images.flatMap(recordsIn)).toEqual(before);
    },
  );

  test.for(runs)(
    'U1: %s with --no-undo costs the changes alone, and says what it means',
    async ([, words, call], { linkctl, wire, service, folder }) => {
      await store(service, numbered(6));
      const ran = await linkctl([...words, rowsFile(folder, 6), ...inThrees, '--no-undo']);
      expect(ran.code).toBe(0);
      expect(ran.stderr).toMatch(
        /^--no-undo: this change cannot be undone\n(clicks .* cannot be restored\n)?.* at least 3 requests\)\n/,
      );
      expect(await calls(wire)).toEqual([...around, call, call, call]);
      expect(imageFiles(folder)).toEqual([]);
    },
  );

  const single = [
    ['edit', ['edit', 'h0', '--note', 'n'], 'PATCH /urls'],
    ['delete', ['delete', 'h0', '--yes'], 'DELETE /urls'],
  ] as const;

  const places = [
    ['off a terminal', [], undefined],
    ['off a terminal with --undo', ['--undo'], undefined],
    ['on a terminal', [], watched],
  ] as const;

  test.for(single.flatMap(([name, ...one]) => places.map(([where, ...place]) => [name, where, one, place] as const)))(
    'U1, U5: %s of a single link %s costs one call more, and leaves one small file',
    async ([, , [words, call], [flags, world]], { linkctl, wire, service, folder }) => {
      await store(service, numbered(1));
      const before = await stored(service);
      expect(await linkctl([...words, ...flags], world)).toMatchObject({ code: 0 });
      expect(await calls(wire)).toEqual(['GET /urls', call]);
      expect(imageFiles(folder).flatMap(recordsIn)).toEqual(before);
      expect(readdirSync(join(stateFolder(folder), 'runs'))).toEqual([expect.stringMatching(/\.log$/)]);
      expect(readdirSync(join(stateFolder(folder), 'locks'))).toEqual([]);
      const { runs } = JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout);
      expect(runs).toMatchObject([{ state: 'finished' }]);
    },
  );

  test.for(single)(
    'U5: %s of a single link with --no-undo costs one call, and is recorded as such',
    async ([, words], { linkctl, wire, service, folder }) => {
      await store(service, numbered(1));
      const ran = await linkctl([...words, '--no-undo'], watched);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('--no-undo: this change cannot be undone\n') });
      expect(await changesSent(wire)).toBe(1);
      expect(imageFiles(folder).flatMap(recordsIn)).toEqual([]);
      const refused = await linkctl(['undo'], watched);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('it was run with --no-undo') });
    },
  );

  test('U1: what a deletion read for its question is not read again', async ({ linkctl, wire, service, folder }) => {
    await store(service, numbered(2));
    expect(await linkctl(['delete', 'h0', 'h1'], { ...watched, stdin: 'y\n' })).toMatchObject({ code: 0 });
    expect(await calls(wire)).toEqual(['GET /urls', 'DELETE /urls']);
    expect(imageFiles(folder).flatMap(recordsIn)).toMatchObject([{ hash: 'h0' }, { hash: 'h1' }]);
  });

  test('U1, F38: a deleted link is made again by the hash that it was named by, however the server shows it', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2));
    await wire.script([{ only: { method: 'GET', path: 'hashes=' }, alter: 'shout', times: 'all' }]);
    expect(await linkctl(['delete', 'h0', 'h1', '--yes'])).toMatchObject({ code: 0 });
    expect(await stored(service)).toEqual([]);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    expect((await stored(service)).map(({ hash }) => hash).sort()).toEqual(['h0', 'h1']);
  });

  const unkept = [
    ['a run', ['delete', '--yes', '--hashes-from']],
    ['several typed links', ['edit', 'h0', 'h1', '--note', 'n']],
    ['a typed link with --undo', ['delete', 'h0', '--yes', '--undo']],
    ['a reset', ['stats', '--reset', 'h0', 'h1', '--yes']],
  ] as const;

  test.for(unkept)(
    'U1: where the state folder cannot be written, nothing of %s is changed: exit 9',
    async ([, words], { linkctl, wire, service, folder }) => {
      await store(service, numbered(2));
      const path = listed(folder, ['h0', 'h1']);
      mkdirSync(dirname(stateFolder(folder)), { recursive: true });
      // Also for root, who may write into any folder.
      writeFileSync(stateFolder(folder), '');
      const ran = await linkctl(words.at(-1) === '--hashes-from' ? [...words, path] : words);
      expect(ran).toMatchObject({ code: 9, stdout: '' });
      expect(ran.stderr).toContain('error: ');
      expect(await changesSent(wire)).toBe(0);
      expect(await stored(service)).toHaveLength(2);
    },
  );

  test.for([
    ['502', faults.badGatewayBefore, 8],
    ['1303', faults.refuse(1303), 7],
    ['1217', faults.refuse(1217), 4],
  ] as const)(
    'U1: typed links that cannot be read (%s) are not changed, and the same command does it later',
    async ([, fault, code], { linkctl, wire, service }) => {
      await store(service, numbered(2));
      await wire.script([{ ...fault, only: { method: 'GET' }, times: 'all' }]);
      const words = ['edit', 'h0', 'h1', '--note', 'n'];
      expect(await linkctl(words)).toMatchObject({ code, stdout: '' });
      expect(await changesSent(wire)).toBe(0);
      await wire.script([]);
      expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
    },
  );

  test('U1, D22: typed links of which some are done say so when the same command resumes', async ({ linkctl, wire, service }) => {
    await store(service, numbered(2));
    const only = { method: 'PATCH' };
    await wire.script([{ only }, { ...faults.refuse(1303), only }]);
    const words = ['edit', 'h0', 'h1', '--note', 'n', '--batch-size', '1'];
    expect(await linkctl(words)).toMatchObject({ code: 7, stdout: 'h0\n' });
    const ran = await linkctl(words);
    expect(ran).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
    expect(ran.stderr).toMatch(/^resuming run \S+: 1 of 2 links are done\n$/);
    expect(await changesSent(wire)).toBe(3);
  });

  describe('a quota', () => {
    test.override({ limits: { maxCallsPerDay: 18 } });

    test('U1, R-11: that lasts for a change without undo only is known before the first change: exit 7', async ({
      linkctl,
      wire,
      service,
      folder,
    }) => {
      await store(service, numbered(20));
      const words = [
        'delete',
        '--yes',
        '--hashes-from',
        listed(
          folder,
          numbered(20).map(({ custom_hash }) => custom_hash),
        ),
      ];
      const ran = await linkctl([...words, '--batch-size', '2']);
      expect(ran).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('21 API calls today required') });
      expect((await calls(wire)).filter((call) => call.endsWith('/urls'))).toEqual([]);
      expect(await linkctl([...words, '--batch-size', '2', '--no-undo'])).toMatchObject({ code: 0 });
      expect((await calls(wire)).filter((call) => call === 'DELETE /urls')).toHaveLength(10);
    });
  });
});

describe('two domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('U1: the same hash on both has an image for each, with its domain', async ({ linkctl, wire, service, folder }) => {
    for (const domain of ['s.ex', 't.ex'])
      await store(service, [{ custom_hash: 'x', long_url: `https://example.com/${domain}` }], domain);
    const path = listed(folder, ['s.ex/x', 't.ex/x']);
    expect(await linkctl(['delete', '--yes', '--hashes-from', path])).toMatchObject({ code: 0 });
    expect((await calls(wire)).filter((call) => call === 'DELETE /urls')).toHaveLength(2);
    const found = imageFiles(folder).flatMap(recordsIn);
    expect(found).toMatchObject([
      { hash: 'x', long_url: 'https://example.com/s.ex' },
      { hash: 'x', long_url: 'https://example.com/t.ex' },
    ]);
    expect((await stored(service, 's.ex')).length + (await stored(service, 't.ex')).length).toBe(0);
  });
});
