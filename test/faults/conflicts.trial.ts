import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RunningService, startService } from '../../src/service/service.ts';
import { runProgram } from '../support/built-program.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, username } from '../support/linkctl.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { store, stored } from '../support/stored-links.ts';
import { untilDone } from './killed-program.ts';

/**
 * I6: `shorten -f --on-conflict` on accounts in use, killed at random moments on a server that misbehaves. For a person to start:
 * `LINKCTL_TRIALS=12 LINKCTL_TRIAL_LINKS=5000 LINKCTL_TRIAL_SEED=1 npm run trials:apply`.
 */
const trials = Number(process.env.LINKCTL_TRIALS ?? 6);
const count = Number(process.env.LINKCTL_TRIAL_LINKS ?? 5000);
const firstSeed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const policies = ['update', 'skip', 'rename', 'skip, checked'] as const;

interface Link {
  readonly custom_hash: string;
  readonly long_url: string;
  readonly note: string;
  readonly tags: readonly string[];
}

/** A row, the links that have its hash before and after, and the statuses that it may get. */
interface Case {
  readonly row: Link;
  readonly before: readonly Link[];
  readonly after: readonly Link[];
  readonly statuses: readonly string[];
}

for (let seed = firstSeed; seed < firstSeed + trials; seed += 1) {
  const policy = policies[seed % policies.length] ?? 'update';
  test(`I6: seed ${seed}: ${policy}, ${count} rows, killed at random: nothing lost, doubled or touched, each status is true`, async () => {
    const random = seededRandom(seed);
    const folder = mkdtempSync(join(tmpdir(), 'linkctl-conflicts-'));
    const edition = Math.floor(seed / policies.length) % 2 === 0 ? 'a' : 'b';
    const domains = edition === 'a' ? [{ name: 'one.example' }, { name: 'two.example' }] : undefined;
    const service = await startService({ edition, username, apiKey, domains, redirects: false });
    const steps = [faults.dropBefore, faults.dropAfter, faults.dropAfter, faults.htmlAfter, faults.dropMiddle(20)];
    const wire = await startFaultyServer({ backend: service.baseUrl, seed, chance: { rate: 0.05, steps } });
    try {
      const cases = Array.from({ length: count }, (_, nth) => drawCase(nth, policy, random()));
      await store(
        service,
        cases.flatMap(({ before }) => before),
        domains?.[0]?.name,
      );
      // Another domain has the same hashes.
      const second = edition === 'a' ? 'two.example' : undefined;
      if (second) {
        await store(
          service,
          cases.map(({ row }) => ({ ...row, long_url: 'https://two.example.org/' })),
          second,
        );
      }
      const others = await linksOf(service, second);
      const was = await linksOf(service);
      const [file, results] = [join(folder, 'links.csv'), join(folder, 'results.jsonl')];
      const lines = cases.map(
        ({ row: { custom_hash, long_url, note, tags } }) =>
          `${custom_hash.startsWith(any) ? '' : custom_hash},${long_url},${note},"${tags.join(',')}"\n`,
      );
      writeFileSync(file, `custom_hash,long_url,note,tags\n${lines.join('')}`);
      const credentials = { LINKCTL_BASE_URL: wire.baseUrl, LINKCTL_USERNAME: username, LINKCTL_API_KEY: apiKey };
      const env = { HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', LINKCTL_EDITION: edition, ...credentials };
      const kills = { random, most: 8, within: count * 0.3 };
      const words = [
        'shorten',
        '-f',
        file,
        '--on-conflict',
        policy.split(',')[0] ?? '',
        '--quiet',
        '--batch-size',
        '100',
        '--results',
        results,
      ];

      // 2: it was killed when all was done.
      const starts = await untilDone(words, env, { kills, done: [0, 2] });
      const wanted = byHash(cases.flatMap(({ after }) => after));
      expect(await linksOf(service)).toEqual(wanted);
      const statuses: string[] = readFileSync(results, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status);
      expect(statuses).toHaveLength(count);
      const untrue = cases.flatMap(({ row, statuses: allowed }, nth) =>
        allowed.includes(statuses[nth] ?? '') ? [] : `${row.custom_hash} ${statuses[nth]}`,
      );
      expect(untrue).toEqual([]);

      if (policy !== 'skip, checked') await untilDone([...words, '--again', '--yes'], env);
      expect(await linksOf(service)).toEqual(wanted);
      let undone: readonly number[] = [];
      if (policy === 'update' || policy === 'rename') {
        const { stdout } = await runProgram(['runs', 'list', '-o', 'json'], env);
        const run: string = JSON.parse(stdout).runs.at(-1).run;
        // 3: of links that are as their rows say nothing proves that the run made them, unless it read them before (U7).
        const done = policy === 'rename' ? [3] : [0];
        undone = await untilDone(['undo', run, '--yes', '--quiet', '--batch-size', '100'], env, { kills, done });
        const left = await linksOf(service);
        const had = new Set(was.map(({ custom_hash }) => custom_hash));
        expect(left.filter(({ custom_hash }) => had.has(custom_hash))).toEqual(was);
        expect(left.filter(({ custom_hash }) => !had.has(custom_hash))).toEqual([]);
      }
      expect(await linksOf(service, second)).toEqual(second ? others : await linksOf(service));
      console.log(JSON.stringify({ seed, policy, edition, count, starts, undone }));
    } finally {
      await wire.close();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Of a link whose hash the server makes: the trial names it by where it leads. */
const any = 'any ';

function drawCase(nth: number, policy: (typeof policies)[number], fate: number): Case {
  const isAny = policy === 'skip, checked' && fate < 0.4;
  const custom_hash = isAny ? `${any}https://example.com/${nth}` : `h${nth}`;
  const row: Link = { custom_hash, long_url: `https://example.com/${nth}`, note: fate < 0.5 ? 'n' : '', tags: ['mine'] };
  if (fate < 0.5) return { row, before: [], after: [row], statuses: ['created', 'existing'] };
  if (fate < 0.6)
    return { row, before: [row], after: [row], statuses: ['existing', ...(policy === 'update' ? [] : ['created'])] };
  const theirs: Link = { custom_hash, long_url: `https://theirs.example/${nth}`, note: 'theirs', tags: ['theirs'] };
  // The first number may be taken, too.
  const second = { ...theirs, custom_hash: `${custom_hash}-2` };
  const before = fate < 0.7 ? [theirs, second] : [theirs];
  switch (policy) {
    case 'skip':
    case 'skip, checked':
      return { row, before, after: before, statuses: ['skipped'] };
    case 'rename': {
      const named = { ...row, custom_hash: `${custom_hash}-${before.length + 1}` };
      return { row, before, after: [...before, named], statuses: ['created', 'existing'] };
    }
    case 'update':
      return { row, before, after: [{ ...row, note: 'theirs' }, ...before.slice(1)], statuses: ['changed'] };
  }
}

async function linksOf(service: RunningService, domain?: string): Promise<Link[]> {
  const records = await stored(service, domain);
  const nameOf = (hash: string, longUrl: string): string => (/^h\d+(-\d)?$/.test(hash) ? hash : any + longUrl);
  return byHash(records.map(({ hash, long_url, note, tags }) => ({ custom_hash: nameOf(hash, long_url), long_url, note, tags })));
}

function byHash(links: readonly Link[]): Link[] {
  return links.toSorted((one, other) => (one.custom_hash < other.custom_hash ? -1 : 1));
}
