import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RunningService, startService } from '../../src/service/service.ts';
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, username } from '../support/linkctl.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { store, stored } from '../support/stored-links.ts';
import { untilDone } from './killed-program.ts';
import { newestChange } from './newest-change.ts';

/**
 * Issue 17: `apply` of so many links, killed at random moments on a server that misbehaves. For a person to start:
 * `LINKCTL_TRIALS=10 LINKCTL_TRIAL_LINKS=20000 LINKCTL_TRIAL_SEED=1 npm run trials:apply`.
 */
const trials = Number(process.env.LINKCTL_TRIALS ?? 4);
const links = Number(process.env.LINKCTL_TRIAL_LINKS ?? 20_000);
const firstSeed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);

interface Link {
  readonly custom_hash: string;
  readonly long_url: string;
  readonly note: string;
  readonly tags: readonly string[];
}

for (let seed = firstSeed; seed < firstSeed + trials; seed += 1) {
  test(`P2: seed ${seed}: ${links} links, killed at random: as the file says, and nothing else; undo takes it back`, async () => {
    const random = seededRandom(seed);
    const folder = mkdtempSync(join(tmpdir(), 'linkctl-apply-'));
    const edition = seed % 2 === 0 ? 'a' : 'b';
    const service = await startService({ edition, username, apiKey, redirects: false });
    const steps = [faults.dropBefore, faults.dropAfter, faults.dropAfter, faults.htmlAfter];
    const wire = await startFaultyServer({ backend: service.baseUrl, seed, chance: { rate: 0.01, steps } });
    try {
      const { before, wanted, others } = accounts(random);
      await store(service, [...before, ...others]);
      const was = await settable(service);
      const file = join(folder, 'links.csv');
      const rows = wanted.map(
        ({ custom_hash, long_url, note, tags }) => `${custom_hash},${long_url},${note},"${tags.join(',')}"\n`,
      );
      writeFileSync(file, `custom_hash,long_url,note,tags\n${rows.join('')}`);
      const credentials = { LINKCTL_BASE_URL: wire.baseUrl, LINKCTL_USERNAME: username, LINKCTL_API_KEY: apiKey };
      const env = { HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', LINKCTL_EDITION: edition, ...credentials };
      const kills = { random, most: 8, within: links * 0.1 };

      const apply = [
        'apply',
        '-f',
        file,
        '--prune',
        'git',
        '--yes',
        '--quiet',
        '--batch-size',
        '100',
        '--max-affected',
        String(links),
        '--max-deleted',
        String(links),
      ];
      const starts = await untilDone(apply, env, { kills });
      expect(await settable(service)).toEqual(byHash([...wanted, ...others]));

      const changes = await changeCount(wire);
      expect((await untilDone(apply, env)).at(-1)).toBe(0);
      expect(await changeCount(wire)).toBe(changes);
      expect((await untilDone(['diff', '-f', file, '--by-tags', 'git', '--quiet'], env)).at(-1)).toBe(0);

      const undone = await untilDone(['undo', newestChange(env.HOME ?? ''), '--yes', '--quiet', '--batch-size', '100'], env, {
        kills,
      });
      expect(await settable(service)).toEqual(was);
      console.log(JSON.stringify({ seed, edition, links, starts, undone, changes }));
    } finally {
      await wire.close();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** What an account has, what a file wants of it, and links that neither the file names nor the label. */
function accounts(random: () => number): { before: Link[]; wanted: Link[]; others: Link[] } {
  const before: Link[] = [];
  const wanted: Link[] = [];
  for (let nth = 0; nth < links; nth += 1) {
    const link = { custom_hash: `h${nth}`, long_url: `https://example.com/${nth}`, note: `note ${nth}`, tags: ['git'] };
    const fate = random();
    if (fate < 0.85) before.push(link);
    if (fate < 0.5) wanted.push(link);
    else if (fate < 0.6) wanted.push({ ...link, long_url: `https://new.example/${nth}` });
    else if (fate < 0.7) wanted.push({ ...link, tags: ['git', 'other'] });
    else if (fate < 0.75) wanted.push({ ...link, note: 'changed', tags: ['other'] });
    else if (fate >= 0.85) wanted.push(link);
  }
  const others = Array.from({ length: 500 }, (_, nth) => {
    return {
      custom_hash: `other${nth}`,
      long_url: `https://other.example/${nth}`,
      note: '',
      tags: nth % 2 === 0 ? ['github'] : [],
    };
  });
  return { before, wanted, others };
}

async function changeCount(wire: FaultyServer): Promise<number> {
  return (await wire.requests()).filter(({ method }) => method !== 'GET').length;
}

async function settable(service: RunningService): Promise<Link[]> {
  const records = await stored(service);
  return byHash(records.map(({ hash, long_url, note, tags }) => ({ custom_hash: hash, long_url, note, tags })));
}

function byHash(some: readonly Link[]): Link[] {
  const sorted = some.map((link) => ({ ...link, tags: [...link.tags].sort() }));
  return sorted.sort((one, other) => (one.custom_hash < other.custom_hash ? -1 : 1));
}
