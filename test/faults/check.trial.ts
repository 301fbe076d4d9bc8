import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startService } from '../../src/service/service.ts';
import { startProgram } from '../support/built-program.ts';
import { apiKey, username } from '../support/linkctl.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { store } from '../support/stored-links.ts';

/**
 * Issue 18: `check` of so many destinations on 500 hosts, killed at random moments. For a person to start:
 * `LINKCTL_TRIALS=10 LINKCTL_TRIAL_LINKS=10000 LINKCTL_TRIAL_SEED=1 npm run trials:check`.
 */
const trials = Number(process.env.LINKCTL_TRIALS ?? 2);
const links = Number(process.env.LINKCTL_TRIAL_LINKS ?? 10_000);
const firstSeed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const kills = 5;
const hosts = 500;

/** What a page answers, and what a check is to find. */
const kinds = [
  ...Array.from({ length: 16 }, () => ({ code: 200, status: 'ok' })),
  { code: 404, status: 'broken' },
  { code: 403, status: 'blocked' },
  { code: 301, status: 'moved' },
  { code: 418, status: 'broken' },
] as const;

for (let seed = firstSeed; seed < firstSeed + trials; seed += 1) {
  test(`K5: seed ${seed}: ${links} destinations, killed up to ${kills} times: every verdict right, each asked at most once more a kill`, async () => {
    const random = seededRandom(seed);
    const folder = mkdtempSync(join(tmpdir(), 'linkctl-check-'));
    const edition = seed % 2 === 0 ? 'a' : 'b';
    const service = await startService({ edition, username, apiKey, redirects: false });
    const web = await openWeb();
    try {
      const pages = Array.from({ length: links }, (_, nth) => ({
        nth,
        kind: kinds[Math.floor(random() * kinds.length)] ?? kinds[0],
      }));
      const urlOf = ({ nth, kind }: (typeof pages)[number]) => web.urlOf(nth % hosts, `${kind.code}/${nth}`);
      // Every tenth destination has a second link.
      const all = pages.flatMap((page) => (page.nth % 10 === 0 ? [page, page] : [page]));
      await store(
        service,
        all.map((page, nth) => ({ custom_hash: `h${nth}`, long_url: urlOf(page) })),
      );
      const credentials = { LINKCTL_BASE_URL: service.baseUrl, LINKCTL_USERNAME: username, LINKCTL_API_KEY: apiKey };
      const env = { HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', LINKCTL_EDITION: edition, ...credentials };
      const results = join(folder, 'results.csv');
      const starts = await untilDone(['check', '--allow-private', '-q', '--results', results], env, random);
      const found = readFileSync(results, 'utf8').trimEnd().split('\n').slice(1);
      const expected = all.map(({ kind }, nth) => `${kind.status},h${nth}`).reverse();
      expect(found.map((line) => line.split(',').slice(1, 3).join(','))).toEqual(expected);
      const killed = starts.filter((code) => code === -9).length;
      const most = Math.max(...web.asked.values());
      const more = [...web.asked.values()].filter((times) => times > 1).length;
      expect(most).toBeLessThanOrEqual(1 + killed);
      expect(web.asked.size).toBe(links);
      expect(web.mostAtHost()).toBeLessThanOrEqual(4);
      console.log(
        JSON.stringify({ seed, edition, links: all.length, destinations: links, starts, askedAgain: more, mostTimes: most }),
      );
    } finally {
      await web.close();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Pages on hosts of 127.0.0.0/8, which count how often each was asked first: by HEAD. */
async function openWeb() {
  const asked = new Map<string, number>();
  const inside = new Map<string, number>();
  let mostAtHost = 0;
  const server = createServer((request, response) => {
    const { host = '' } = request.headers;
    const path = request.url ?? '';
    if (request.method === 'HEAD' && !path.startsWith('/new')) asked.set(path, (asked.get(path) ?? 0) + 1);
    inside.set(host, (inside.get(host) ?? 0) + 1);
    mostAtHost = Math.max(mostAtHost, inside.get(host) ?? 0);
    const code = Number(path.split('/')[1]) || 200;
    setTimeout(() => {
      inside.set(host, (inside.get(host) ?? 0) - 1);
      response.writeHead(code, code === 301 ? { location: `/new${path}` } : {}).end();
    }, 20);
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    mostAtHost: () => mostAtHost,
    urlOf: (host: number, path: string) => `http://127.2.${host >> 8}.${host & 255}:${port}/${path}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The codes of all starts until one says that all was asked, which is 3; -9 where it was killed. */
async function untilDone(argv: readonly string[], env: Record<string, string>, random: () => number): Promise<number[]> {
  const codes: number[] = [];
  while (codes.at(-1) !== 3) {
    if (codes.length > 20) throw new Error(`check does not end: ${codes}`);
    const { process: started, ended } = startProgram(argv, env);
    if (codes.length < kills) {
      await Promise.race([ended, delay(300 + random() * 5000)]);
      started.kill('SIGKILL');
    }
    const { code, signal, stderr } = await ended;
    if (signal === null && code !== 3) throw new Error(`check ended with ${code}: ${stderr}`);
    codes.push(signal === null ? (code ?? 1) : -9);
  }
  return codes;
}
