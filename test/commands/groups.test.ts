import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { apiKey, runnerIn, sent, test, username } from '../support/linkctl.ts';
import type { Manners } from '../support/manners.ts';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { numbered, store, stored, visit } from '../support/stored-links.ts';

const hashes = (count: number): string[] => numbered(count).map(({ custom_hash }) => custom_hash);
const asFile = (names: readonly string[]) => ({ stdin: names.map((name) => `${name}\n`).join('') });
const calls = async (wire: FaultyServer, method: string): Promise<string[]> =>
  (await sent(wire)).map(({ call }) => call).filter((call) => call.startsWith(method));
const has = (text: string) => expect.stringContaining(text);

/** How servers show an account in use: capped pages, totals that are right, left out, text, or the length of the page. */
const capped: readonly Manners[] = ([30, 100] as const).flatMap((pageCap) =>
  ([undefined, 'missing', 'text', 'page length'] as const).map((totalCount) => ({ pageCap, ...(totalCount && { totalCount }) })),
);

describe.for(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });
  // What a cap does to a page is the same in both editions.
  const shown = edition === 'a' ? capped : capped.filter(({ pageCap }) => pageCap === 30);

  test.for(shown)(
    'D12: %o: of a file of 130 and one that is missing, 130 are deleted and the one is reported',
    async (manners, { linkctl, wire, service }) => {
      await store(service, numbered(130));
      await wire.behave(manners);
      const ran = await linkctl(['delete', '--hashes-from', '-', '-y'], asFile(['none', ...hashes(130)]));
      expect(ran).toMatchObject({ code: 3, stderr: has('131 rows: 130 deleted, 1 failed') });
      expect(ran.stderr).toContain('stdin:1: no short URL "none"');
      expect(await stored(service)).toEqual([]);
    },
  );

  test.for(shown)(
    'D11: %o: nothing is reported as deleted that is still there, where the first answer was lost',
    async (manners, { linkctl, wire, service }) => {
      await store(service, numbered(130));
      await wire.behave(manners);
      // The first attempt deletes nothing, and the second is refused because of one of them.
      await wire.script([{ ...faults.dropBefore, only: { method: 'DELETE' } }]);
      const ran = await linkctl(['delete', '--hashes-from', '-', '-y'], asFile([...hashes(130), 'none']));
      expect(await stored(service)).toEqual([]);
      expect(ran.stdout.split('\n')).toEqual(expect.arrayContaining(hashes(130)));
    },
  );

  test.for(shown)(
    'D12: %o: list, stats, edit and stats --reset find all 130 that are named',
    async (manners, { linkctl, wire, service }) => {
      await store(service, numbered(130));
      await visit(service, 'h129');
      await wire.behave(manners);
      const named = asFile([...hashes(130), 'none']);
      const listed = await linkctl(['list', '--hashes-from', '-', '--fields', 'hash'], named);
      expect(listed).toMatchObject({ code: 3, stdout: asFile(hashes(130)).stdin, stderr: has('1 of 131 links does not exist') });
      const stats = await linkctl(['stats', '--hashes-from', '-'], named);
      expect(stats).toMatchObject({ code: 3, stdout: has('h129\t1\t1\n') });
      expect(await linkctl(['edit', '--hashes-from', '-', '--note', 'n'], named)).toMatchObject({
        code: 3,
        stderr: has('131 rows: 130 changed, 1 failed'),
      });
      expect(await linkctl(['stats', '--reset', '--hashes-from', '-', '-y'], named)).toMatchObject({
        code: 3,
        stderr: has('131 rows: 130 reset, 1 failed'),
      });
      const left = await stored(service);
      expect(left.map(({ note, total_clicks }) => [note, total_clicks])).toEqual(new Array(130).fill(['n', 0]));
    },
  );

  test('D12: a server that writes hashes in another case has them all', async ({ linkctl, wire, service }) => {
    await store(service, numbered(200));
    await wire.behave({ hashes: 'shown in upper case', pageCap: 30 });
    await linkctl(['list', '--all']);
    const named = asFile([...hashes(200), 'none']);
    expect(await linkctl(['list', '--hashes-from', '-', '--fields', 'hash'], named)).toMatchObject({
      code: 3,
      stdout: asFile(hashes(200)).stdin.toUpperCase(),
    });
    expect(await linkctl(['stats', '--hashes-from', '-'], named)).toMatchObject({ code: 3, stdout: has('H199\t0\t0\n') });
    const deleted = await linkctl(['delete', '--hashes-from', '-', '-y'], named);
    expect(deleted).toMatchObject({ code: 3, stderr: has('201 rows: 200 deleted, 1 failed') });
    expect(await stored(service)).toEqual([]);
  });

  test('D12: two hashes that differ in case alone are two links', async ({ linkctl, service }) => {
    await store(service, [
      { custom_hash: 'abc', long_url: 'https://example.com/lower' },
      { custom_hash: 'ABC', long_url: 'https://example.com/upper' },
    ]);
    const list = (...names: string[]) => linkctl(['list', ...names, '--fields', 'hash,long_url']);
    expect((await list('ABC', 'abc')).stdout).toBe('ABC\thttps://example.com/upper\nabc\thttps://example.com/lower\n');
    expect((await list('abc', 'aBc')).stdout).toBe('abc\thttps://example.com/lower\n');
  });

  test.for<[string, Step]>([
    ['HTTP 414', { answer: { status: 414, body: '<h1>Request-URI Too Large</h1>' } }],
    ['HTTP 413', { answer: { status: 413, body: '<h1>Request Entity Too Large</h1>' } }],
    ['1310', faults.refuse(1310)],
    ['1221', faults.refuse(1221)],
  ])('D14: %s halves the group, for reading and for changing', async ([, refusal], { linkctl, wire, service }) => {
    await store(service, numbered(300));
    const script = (method: string) => wire.script([{ ...refusal, apply: false, only: { method, path: '/urls?' }, times: 2 }]);
    const named = asFile(hashes(300));
    await script('GET');
    expect(await linkctl(['list', '--hashes-from', '-', '--fields', 'hash'], named)).toMatchObject({
      code: 0,
      stdout: named.stdin,
    });
    await script('PATCH');
    expect(await linkctl(['edit', '--hashes-from', '-', '--note', 'n'], named)).toMatchObject({ code: 0, stdout: named.stdin });
    await script('DELETE');
    expect(await linkctl(['delete', ...hashes(300), '-y'])).toMatchObject({ code: 0, stdout: named.stdin });
    expect(await stored(service)).toEqual([]);
    const sizes = (await calls(wire, 'DELETE')).map((call) => call.split(',').length);
    expect(sizes).toEqual([300, 150, 75, 75, 75, 75]);
  });

  test('D14: one hash that is too much for the server fails alone', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3));
    const refusal = { apply: false, answer: { status: 414, body: '' }, times: 'all' as const };
    await wire.script([{ ...refusal, only: { method: 'DELETE', path: 'h1' } }]);
    const ran = await linkctl(['delete', ...hashes(3), '-y']);
    expect(ran).toMatchObject({ code: 3, stdout: 'h0\nh2\n' });
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h1']);
  });

  test('D12: what is there costs one call a group, and all that is missing one more', async ({ linkctl, wire, service }) => {
    await store(service, numbered(1000));
    const groups = edition === 'a' ? [829, 171] : [500, 500];
    const sizes = async (): Promise<number[]> =>
      (await calls(wire, 'GET')).filter((call) => call !== 'GET /domains').map((call) => call.split(',').length);
    await linkctl(['list', '--hashes-from', '-', '--fields', 'hash'], asFile(hashes(1000)));
    expect((await sizes()).reduce((sum, size) => sum + size)).toBe(1000);
    expect(await sizes()).toHaveLength(groups.length);
    const missing = hashes(1000).map((hash) => `x${hash}`);
    await linkctl(['list', '--hashes-from', '-', '--fields', 'hash'], asFile(missing.slice(0, 400)));
    expect(await sizes()).toHaveLength(groups.length + 1);
    await linkctl(['list', '--hashes-from', '-', '--fields', 'hash'], asFile([...hashes(200), ...missing.slice(0, 200)]));
    expect((await sizes()).slice(groups.length + 1)).toEqual([400, 200]);
  });

  test('F45: strangers in an answer are no links that were asked for, and say nothing of those that were', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(4));
    const stranger = { hash: 'stranger', long_url: 'https://stranger.example/' };
    const answer = { body: { error: { code: 0, message: '' }, urls: [stranger, stranger], page: { total_count: 2 } } };
    await wire.script([{ only: { path: 'h0%2Ch1%2Ch2%2Ch3' }, apply: false, answer, times: 'all' }]);
    expect(await linkctl(['list', ...hashes(4), '--fields', 'hash'])).toMatchObject({ code: 0, stdout: 'h0\nh1\nh2\nh3\n' });
  });

  describe('a profile made for larger calls (D15)', () => {
    const rows = 1200;

    test('every command sends what the server takes, and every dry run shows what is sent', async ({
      homeEnv,
      folder,
      wire,
      service,
    }) => {
      const linkctl = runnerIn(homeEnv);
      const login = ['auth', 'login', '--profile', 'work', '--base-url', wire.baseUrl, '--username', username];
      await linkctl([...login, '--with-key', '--edition', edition], { stdin: apiKey });
      expect((await linkctl(['config', 'set', 'batch_size', '1000'])).code).toBe(0);
      const path = (name: string, text: string): string => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      const links = path(
        'links.txt',
        numbered(rows)
          .map(({ long_url }) => long_url)
          .join('\n'),
      );
      const named = path('hashes.txt', hashes(rows).join('\n'));
      const edits = path('edits.csv', ['hash,note', ...hashes(rows).map((hash) => `${hash},n`)].join('\n'));
      await store(service, numbered(rows));
      for (const words of [
        ['shorten', '-f', links, '--dedupe', 'account'],
        ['shorten', ...numbered(600).map(({ long_url }) => `${long_url}?typed`)],
        ['edit', '-f', edits],
        ['edit', '--hashes-from', named, '--note', 'm'],
        ['edit', ...hashes(600), '--note', 'o'],
        ['stats', '--reset', '--hashes-from', named, '-y'],
        ['delete', '--hashes-from', named, '-y'],
      ]) {
        const { requests } = JSON.parse((await linkctl([...words, '-n', '-o', 'json'])).stdout);
        const before = (await wire.requests()).length;
        expect(await linkctl(words)).toMatchObject({ code: 0 });
        const made = (await wire.requests()).slice(before).filter(({ method }) => method !== 'GET');
        const name = words.slice(0, 3).join(' ').slice(0, 40);
        // Several are under way at once, and come in any order.
        expect([name, made.map(({ method, body, url }) => `${method} ${size(body, url)}`).sort()]).toEqual([
          name,
          requests.map(planned).sort(),
        ]);
      }
      expect((await linkctl(['list', '--hashes-from', named])).code).toBe(5);
      for (const request of await wire.requests()) {
        expect(size(request.body, request.url)).toBeLessThanOrEqual(edition === 'a' ? 1000 : 500);
      }
    });
  });
});

test.for([1, 2, 3, 4, 5, 6])(
  'D11, D12, D14: accounts of 150 to 2,200 links on servers of all these manners, seed %i',
  async (seed, { linkctl, wire, service }) => {
    const random = seededRandom(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const links = numbered(pick([150, 300, 1200, 2200]));
    await store(service, links);
    const chosen = shuffled(links, random).slice(0, Math.ceil(links.length * pick([0.1, 0.5, 0.9])));
    const ghosts = hashes(pick([0, 1, 3, 60])).map((hash) => `ghost-${hash}`);
    const names = shuffled([...chosen.map(({ custom_hash }) => custom_hash), ...ghosts], random);
    const upper = pick([{}, { hashes: 'shown in upper case' }] as const);
    const manners = { ...pick([{}, ...capped]), ...upper };
    await wire.behave(manners);
    // Such a server knows the links that it has shown.
    await linkctl(['list', '--all']);
    const tooLarge = pick([faults.refuse(1310), faults.refuse(1221), faults.refuse(0, 414), faults.refuse(0, 413)]);
    const only = { method: pick(['GET', 'DELETE']), path: 'hashes' };
    await wire.script([{ ...tooLarge, apply: false, only, times: pick([1, 2, 3]) }]);
    const ran = await linkctl(['delete', '--hashes-from', '-', '-y', '--ignore-missing'], asFile(names));
    const left = new Set((await stored(service)).map(({ hash }) => hash));
    const what = { manners, of: links.length, named: names.length, ghosts: ghosts.length };
    expect({ ...what, code: ran.code, left: left.size }).toEqual({ ...what, code: 0, left: links.length - chosen.length });
    expect(chosen.filter(({ custom_hash }) => left.has(custom_hash))).toEqual([]);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(chosen.length);
  },
);

/** Items in one call. */
function size(body: string, url: string): number {
  const list = new URL(url, 'http://localhost').searchParams.get('hashes');
  return list ? list.split(',').length : (JSON.parse(body || '{}').urls?.length ?? 1);
}

function planned({ method, query, body }: { method: string; query: { hashes?: string }; body: { urls?: object[] } | null }) {
  return `${method} ${query.hashes ? query.hashes.split(',').length : (body?.urls?.length ?? 1)}`;
}
