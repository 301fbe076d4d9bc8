import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, runnerIn, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import type { World } from '../support/test-system.ts';

/** A world in which a wait takes no time of this computer, and something happens in the first that is longer than ten seconds. */
function waitingWorld(meanwhile: () => Promise<unknown>): World {
  let elapsed = 0;
  let now = Date.UTC(2031, 0, 31, 12);
  let isOver = false;
  return {
    elapsed: () => elapsed,
    // Somebody sets the clock back.
    now: () => now,
    sleep: async (milliseconds) => {
      elapsed += milliseconds;
      now -= 3_600_000;
      // Others have their turn.
      if (isOver || milliseconds < 10_000) return await delay(1);
      isOver = true;
      await meanwhile();
    },
  };
}

/** A world in which an answer that the test holds takes fifteen seconds. */
function slowAnswers(wire: FaultyServer) {
  let waited = 0;
  return {
    elapsed: () => performance.now() + waited,
    /** Waits for the held answer, does what others do meanwhile, and lets the answer arrive. */
    answer: async (meanwhile: () => Promise<unknown>): Promise<void> => {
      await wire.held();
      await meanwhile();
      waited += 15_000;
      await wire.release();
    },
  };
}

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 300 };
const inTwos = ['--batch-size', '2', '--concurrency', '1'];
const links = () => numbered(5, { note: 'old', tags: ['t'] });

interface Change {
  readonly words: readonly string[];
  readonly world?: World;
  /** What is done before, so that there is something to change. */
  prepare?(linkctl: Linkctl, file: string): Promise<unknown>;
}

const edits = (rows: readonly string[]) => ['hash,note', ...rows].join('\n');
const hashes = ['h0', 'h1', 'h2', 'h3', 'h4'];

const changes: { readonly [name: string]: Change } = {
  'delete --filter': { words: ['delete', '--all', '--filter', 'note=old', ...sure] },
  'delete --by-tags': { words: ['delete', '--by-tags', 't', ...sure] },
  'delete --by-tags --no-undo and a filter': {
    words: ['delete', '--by-tags', 't', '--filter', 'note=old', '--no-undo', ...sure],
  },
  'edit --filter': { words: ['edit', '--all', '--filter', 'note=old', '--url', 'https://to.example/', ...sure] },
  'edit --by-tags': { words: ['edit', '--by-tags', 't', '--expires', '2031-05-01', ...sure] },
  rewrite: { words: ['rewrite', 'https://example.com', 'https://to.example', ...sure] },
  'tags delete': { words: ['tags', 'delete', 't', ...sure] },
  undo: {
    words: ['undo', 'RUN', '--yes'],
    prepare: async (linkctl) => await linkctl(['edit', '--all', '--note', 'new', ...sure]),
  },
  apply: {
    words: ['apply', '-f', 'FILE', ...sure],
    prepare: async (_, file) => writeFileSync(file, edits(hashes.map((hash) => `${hash},new`))),
  },
  'delete --hashes-from on a terminal': {
    words: ['delete', '--hashes-from', 'FILE'],
    world: { ...watched, stdin: 'y\n' },
    prepare: async (_, file) => writeFileSync(file, hashes.join('\n')),
  },
  'edit -f on a terminal': {
    words: ['edit', '-f', 'FILE'],
    world: { ...watched, stdin: 'y\n' },
    prepare: async (_, file) => writeFileSync(file, edits(hashes.map((hash) => `${hash},new`))),
  },
};

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for(Object.entries(changes))(
    'E4: %s: what changed while the server wanted a pause is left alone and named, in the batch that waits and in later ones',
    async ([, { words, world, prepare }], { linkctl, service, wire, env, folder }) => {
      const file = join(folder, 'file.csv');
      await store(service, links());
      await prepare?.(linkctl, file);
      const foreign = runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl });
      const moved = { long_url: 'https://foreign.example/', note: 'foreign' };
      const meanwhile = async (): Promise<void> => {
        const flags = ['--url', moved.long_url, '--note', moved.note];
        for (const hash of ['h0', 'h4']) expect(await foreign(['edit', hash, ...flags])).toMatchObject({ code: 0 });
      };
      const before = (await wire.requests()).length;
      await wire.script([
        { only: { method: 'PATCH' }, ...faults.tooMany('13') },
        { only: { method: 'DELETE' }, ...faults.tooMany('13') },
      ]);
      const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
      const given = words.map((word) => (word === 'FILE' ? file : word === 'RUN' ? run : word));
      const ran = await linkctl([...given, ...(given[0] === 'tags' ? [] : inTwos)], { ...world, ...waitingWorld(meanwhile) });
      expect(ran.code, ran.stderr).toBe(3);
      const sent = (await wire.requests()).slice(before);
      expect(sent.filter(({ step }) => step.answer?.status === 429)).toHaveLength(1);
      const now = await stored(service);
      for (const hash of ['h0', 'h4']) {
        expect(now.find((link) => link.hash === hash)).toMatchObject({ ...moved, expiration_date: null, tags: ['t'] });
        expect(ran.stderr).toMatch(new RegExp(`${hash}.*changed since it was listed`));
      }
    },
  );

  test.for([
    ['delete', ['delete', '--all', '--filter', 'note=old', ...sure]],
    ['edit', ['edit', '--all', '--filter', 'note=old', '--url', 'https://to.example/', ...sure]],
  ] as const)(
    'E4: %s: the same where the answer was lost: what an attempt may have done is done, what somebody else did stays',
    async ([, words], { linkctl, service, wire, env }) => {
      await store(service, links());
      const foreign = runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl });
      const meanwhile = async () => await foreign(['edit', 'h1', '--url', 'https://foreign.example/']);
      const step = { apply: false, answer: { status: 503, headers: { 'retry-after': '13' }, body: '' } };
      await wire.script([
        { only: { method: 'PATCH' }, ...step },
        { only: { method: 'DELETE' }, ...step },
      ]);
      const ran = await linkctl(words, waitingWorld(meanwhile));
      expect(ran.code, ran.stderr).toBe(3);
      expect(ran.stderr).toMatch(/h1.*changed since it was listed: long_url/);
      const now = await stored(service);
      expect(now.find(({ hash }) => hash === 'h1')).toMatchObject({ long_url: 'https://foreign.example/' });
      const others = now.filter(({ hash }) => hash !== 'h1').map(({ long_url }) => long_url);
      expect(others).toEqual(words[0] === 'delete' ? [] : new Array(4).fill('https://to.example/'));
    },
  );

  const onReading = { only: { method: 'GET', path: 'hashes=' } };
  const theirs = { long_url: 'https://foreign.example/' };

  test.for(['edit', 'delete'])(
    'U1: %s of a file: what somebody changes while the answer to the reading is slow is what undo brings back',
    async (command, { linkctl, service, wire, env, folder }) => {
      await store(service, links());
      const file = join(folder, 'file.csv');
      writeFileSync(file, (command === 'edit' ? ['hash,long_url', 'h0,https://to.example/'] : ['h0']).join('\n'));
      const foreign = runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl });
      const { elapsed, answer } = slowAnswers(wire);
      await wire.script([{ ...onReading, held: true }]);
      const words = command === 'edit' ? ['edit', '-f', file] : ['delete', '--hashes-from', file, '--yes'];
      const running = linkctl(words, { elapsed });
      await answer(async () => await foreign(['edit', 'h0', '--url', theirs.long_url]));
      const ran = await running;
      expect(ran.code, ran.stderr).toBe(0);
      const [, run = ''] = /linkctl undo (\S+)/.exec(ran.stderr) ?? [];
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
      expect((await stored(service)).find(({ hash }) => hash === 'h0')).toMatchObject(theirs);
    },
  );

  test.for(['undo', 'rewrite'])(
    'E4: %s: what somebody changes while the answer to the second reading is slow is left alone and named',
    async (command, { linkctl, service, wire, env }) => {
      await store(service, links());
      await linkctl(['edit', '--all', '--note', 'new', ...sure]);
      const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
      const foreign = runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl });
      const { elapsed, answer } = slowAnswers(wire);
      // The plan is as slow, so the links are read again.
      const plan = { only: { method: 'GET', path: command === 'undo' ? 'hashes=' : 'offset=5' }, held: true } as const;
      await wire.script([plan, { ...onReading, held: true }]);
      const words = { undo: ['undo', run, '--yes'], rewrite: ['rewrite', 'https://example.com', 'https://to.example', ...sure] };
      const running = linkctl(command === 'undo' ? words.undo : words.rewrite, { elapsed });
      await answer(async () => undefined);
      await answer(async () => await foreign(['edit', 'h0', '--url', theirs.long_url, '--note', 'foreign']));
      const ran = await running;
      expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(/h0.*changed since it was listed/) });
      expect((await stored(service)).find(({ hash }) => hash === 'h0')).toMatchObject({ ...theirs, note: 'foreign' });
    },
  );

  test('U1: where no reading takes less than ten seconds, nothing is sent: exit 8, and the same command does it later', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, links());
    const file = join(folder, 'file.csv');
    writeFileSync(file, edits(hashes.map((hash) => `${hash},new`)));
    let elapsed = 0;
    const ran = await linkctl(['edit', '-f', file], { elapsed: () => (elapsed += 11_000) });
    expect(ran).toMatchObject({ code: 8, stderr: expect.stringContaining('takes more than ten seconds to read 5 links') });
    expect((await wire.requests()).filter(({ method }) => method === 'PATCH')).toEqual([]);
    expect((await wire.requests()).filter(({ url }) => url.includes('hashes='))).toHaveLength(4);
    expect(await linkctl(['edit', '-f', file])).toMatchObject({ code: 0 });
    expect((await stored(service)).map(({ note }) => note)).toEqual(new Array(5).fill('new'));
  });
});
