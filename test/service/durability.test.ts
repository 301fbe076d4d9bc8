import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { buildChild, type ChildProgram, ended } from '../support/child-program.ts';
import { argumentOf } from './engine.ts';
import { type Client, connect, inBothEditions, many, test } from './running-service.ts';

const url = 'https://example.com/';

let program: ChildProgram;

beforeAll(async () => {
  program = await buildChild(join(import.meta.dirname, 'service-child.ts'));
});

afterAll(() => program.remove());

inBothEditions((test) => {
  test('a data directory that is opened again has everything', async ({ start, folder }) => {
    const before = await start({ data: join(folder, 'new', 'deep') });
    await before.shorten({ long_url: url, custom_hash: 'abc', note: 'ä\n😀', tags: ['t'], expiration_date: '2030-01-01' });
    const shown = (await before.call('GET', '/urls')).body;
    await before.service.close();
    const after = await start({ data: join(folder, 'new', 'deep') });
    expect((await after.call('GET', '/urls')).body).toEqual(shown);
    expect((await after.call('GET', '/account')).body.account.counters.today_api_calls?.count).toBe(4);
  });
});

test('editions A and B in one directory do not mix', async ({ start, folder }) => {
  const a = await start({ data: folder, edition: 'a' });
  const b = await start({ data: folder, edition: 'b' });
  await a.shorten({ long_url: url, custom_hash: 'in-a' });
  await b.shorten({ long_url: url, custom_hash: 'in-b' });
  expect([await a.hashes(), await b.hashes()]).toEqual([['in-a'], ['in-b']]);
});

test('a port in use is refused, and the data is let go of', async ({ start, folder }) => {
  const { service } = await start();
  await expect(start({ data: folder, port: service.port })).rejects.toThrow('EADDRINUSE');
  expect(await (await start({ data: folder })).hashes()).toEqual([]);
});

test('close answers the calls under way', async ({ start, folder }) => {
  const client = await start({ data: folder });
  const batches = many(5, () =>
    client.call('POST', '/urls', { urls: many(500, () => ({ long_url: url })) }).catch(() => undefined),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  await client.service.close();
  const answered = (await Promise.all(batches)).filter((answer) => answer?.status === 200).length;
  const after = await start({ data: folder });
  expect((await after.call('GET', '/urls?limit=1')).body.page.total_count).toBe(answered * 500);
});

test('kill -9 loses no acknowledged write', async ({ start, folder }) => {
  const acknowledged: string[] = [];
  for (let round = 0; round < 4; round++) {
    const child = await startChild(folder);
    const client = connect(await listening(child));
    const writers = [0, 1].map((writer) => writeUntilCutOff(client, `r${round}w${writer}-`, acknowledged));
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(before + 100 + 77 * round);
    child.kill('SIGKILL');
    await Promise.all(writers);
  }
  const client = await start({ data: folder });
  const kept = new Set<string>();
  for (let at = 0; at < acknowledged.length; at += 1000) {
    for (const hash of await client.hashes(`?hashes=${acknowledged.slice(at, at + 1000).join()}`)) kept.add(hash);
  }
  expect(acknowledged.filter((hash) => !kept.has(hash))).toEqual([]);
  // The stored count against the records themselves, which a search has to look through.
  const stored = (await client.call('GET', '/account')).body.account.counters.urls?.count;
  expect((await client.call('GET', '/urls?search=example&limit=1')).body.page.total_count).toBe(stored);
});

test('two processes make the same fresh directory, write to it at once, and agree', async ({ start, folder }) => {
  const children = [await startChild(folder), await startChild(folder)];
  const clients = await Promise.all(children.map(async (child) => connect(await listening(child))));
  const items = many(500, (index) => ({
    long_url: url,
    tags: [`t${index % 7}`],
    ...(index % 2 && { custom_hash: `h${index}` }),
  }));
  const answers = await Promise.all(
    clients.flatMap((client) => many(5, (part) => client.shorten(...items.slice(part * 100, part * 100 + 100)))),
  );
  const made = answers.flat().filter((item) => item.error?.code === 0);
  const taken = answers.flat().filter((item) => item.error?.code === 1215);
  expect([made.length, taken.length]).toEqual([750, 250]);
  expect(new Set(made.map((item) => item.hash)).size).toBe(750);
  for (const client of clients) {
    const { counters } = (await client.call('GET', '/account')).body.account;
    expect([counters.urls?.count, counters.month_urls?.count]).toEqual([750, 750]);
    expect((await client.call('GET', '/urls?tags=t3&limit=1')).body.page.total_count).toBe(
      made.filter((item) => item.tags.includes('t3')).length,
    );
    expect((await client.call('GET', '/tags')).body.tags).toHaveLength(7);
  }
  const ends = children.map(ended);
  for (const child of children) child.kill('SIGTERM');
  for (const end of ends) expect(await end).toEqual({ code: 0, signal: null, stderr: '' });
  // What each counted in memory, too.
  const after = await start({ data: folder, now: Date.now });
  expect((await after.call('GET', '/account')).body.account.counters.today_api_calls?.count).toBe(17);
});

async function writeUntilCutOff(client: Pick<Client, 'shorten'>, prefix: string, acknowledged: string[]): Promise<void> {
  for (let batch = 0; ; batch++) {
    const items = many(20, (index) => ({ long_url: url, custom_hash: `${prefix}${batch}-${index}`, tags: ['t'] }));
    try {
      acknowledged.push(...(await client.shorten(...items)).map((item) => item.hash));
    } catch {
      return;
    }
  }
}

/** Killed after the test if it is still there. */
async function startChild(folder: string): Promise<ChildProcess> {
  const child = program.start([await argumentOf(folder)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function listening(child: ChildProcess): Promise<{ baseUrl: string; origin: string }> {
  if (!child.stdout) throw new Error('the child has no output');
  for await (const baseUrl of createInterface(child.stdout)) return { baseUrl, origin: new URL(baseUrl).origin };
  throw new Error(`the child ended: ${(await ended(child)).stderr}`);
}
