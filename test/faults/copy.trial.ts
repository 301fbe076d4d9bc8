import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { UrlRecord } from '../../src/contract/records.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, username } from '../support/linkctl.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { store, stored } from '../support/stored-links.ts';
import { untilDone } from './killed-program.ts';
import { newestChange } from './newest-change.ts';

/**
 * Issue 17: `copy` of so many links from one edition to the other, killed at random moments on servers that misbehave. For a person to
 * start: `LINKCTL_TRIALS=10 LINKCTL_TRIAL_LINKS=10000 LINKCTL_TRIAL_SEED=1 npm run trials:apply`.
 */
const trials = Number(process.env.LINKCTL_TRIALS ?? 4);
const links = Number(process.env.LINKCTL_TRIAL_LINKS ?? 10_000);
const firstSeed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);

for (let seed = firstSeed; seed < firstSeed + trials; seed += 1) {
  test(`P4: seed ${seed}: ${links} links, killed at random: all of them once, in order, with every field; undo takes them back`, async () => {
    const random = seededRandom(seed);
    const [from, to] = seed % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const);
    const here = await startService({ edition: from, username, apiKey, redirects: false });
    const there = await startService({ edition: to, username, apiKey, redirects: false });
    const steps = [faults.dropBefore, faults.dropAfter, faults.dropAfter, faults.htmlAfter];
    const wire = await startFaultyServer({ backend: there.baseUrl, seed, chance: { rate: 0.02, steps } });
    const folder = mkdtempSync(join(tmpdir(), 'linkctl-copy-'));
    try {
      await store(here, account(random));
      // What is there already: some as they are here, some that lead elsewhere, some that are not here.
      const isForeign = seed % 3 === 0;
      const foreign = [5, 17, links - 3].map((nth) => ({ custom_hash: `h${nth}`, long_url: `https://foreign.example/${nth}` }));
      await store(there, [...(isForeign ? foreign : []), { custom_hash: 'own', long_url: 'https://own.example/' }]);
      const was = await settable(there);
      const env = { HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
      writeProfiles(folder, { here: [here.baseUrl, from], there: [wire.baseUrl, to] });
      const kills = { random, most: 8, within: links * 0.07 };

      const copy = ['copy', '--to', 'there', '--yes', '--quiet', '--batch-size', '100'];
      const done = [isForeign ? 3 : 0];
      const starts = await untilDone(copy, env, { kills, done });
      const expected = (await settable(here)).filter(({ hash }) => !was.some((link) => link.hash === hash));
      expect(await settable(there)).toEqual([...was, ...expected]);

      const changes = await changeCount(wire);
      expect(await untilDone(copy, env, { done })).toHaveLength(1);
      expect(await changeCount(wire)).toBe(changes);

      const undo = ['undo', newestChange(env.HOME ?? ''), '--profile', 'there', '--yes', '--quiet', '--batch-size', '100'];
      const undone = await untilDone(undo, env, { kills });
      expect(await settable(there)).toEqual(was);
      console.log(JSON.stringify({ seed, from, to, links, isForeign, starts, undone, changes }));
    } finally {
      await wire.close();
      await here.close();
      await there.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

function account(random: () => number): object[] {
  return Array.from({ length: links }, (_, nth) => ({
    custom_hash: `h${nth}`,
    long_url: `https://example.com/${nth}?q=%7e#Top`,
    ...(random() < 0.5 && { note: `note ${nth}, "quoted"\n=1+1` }),
    ...(random() < 0.3 && { tags: ['promo', 'a,b'] }),
    ...(random() < 0.2 && { expiration_date: random() < 0.5 ? '2031-12-31' : '2020-02-29' }),
    ...(random() < 0.1 && { email_stats: true }),
  }));
}

function writeProfiles(folder: string, profiles: Record<string, readonly [baseUrl: string, edition: string]>): void {
  const config = join(folder, '.config', 'linkctl');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const stored = Object.entries(profiles).map(([name, [base_url, edition]]) => [
    name,
    { base_url, username, api_key: apiKey, edition },
  ]);
  const text = JSON.stringify({ current_profile: 'here', profiles: Object.fromEntries(stored) });
  writeFileSync(join(config, 'config.json'), text, { mode: 0o600 });
}

async function changeCount(wire: FaultyServer): Promise<number> {
  return (await wire.requests()).filter(({ method }) => method !== 'GET').length;
}

/** Every field that both editions can set, the oldest link first. */
async function settable(service: RunningService): Promise<Partial<UrlRecord>[]> {
  return (await stored(service)).map(({ hash, long_url, note, tags, expiration_date, email_stats }) => {
    return { hash, long_url, note, tags, expiration_date, email_stats };
  });
}
