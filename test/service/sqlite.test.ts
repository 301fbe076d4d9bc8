import { spawn } from 'node:child_process';
import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { openConnection } from '../../src/files/sqlite.ts';
import { buildChild, type ChildProgram, ended } from '../support/child-program.ts';
import { createUrl, openStore } from './engine.ts';
import { inBothEditions, test } from './running-service.ts';

/** What only the engine that keeps its data in files has. */

let program: ChildProgram;

beforeAll(async () => {
  program = await buildChild(join(import.meta.dirname, 'service-child.ts'));
});

afterAll(() => program.remove());

inBothEditions((test) => {
  test('nobody but the owner can read the data', async ({ start, folder }) => {
    const directory = join(folder, 'data');
    const client = await start({ data: directory });
    await client.shorten({ long_url: 'https://example.com/' });
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(directory)) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  });
});

test('a directory that cannot be used, and a file that is no store, are refused at the start', async ({ start, folder }) => {
  await writeFile(join(folder, 'file'), '');
  await expect(start({ data: join(folder, 'file') })).rejects.toThrow();
  await mkdir(join(folder, 'bad'));
  await writeFile(join(folder, 'bad', 'links-a.db'), 'this is not a store, and long enough to be seen as none'.repeat(100));
  await expect(start({ data: join(folder, 'bad') })).rejects.toThrow('not a database');
});

test('without a storage engine the start says in one sentence what to do', async ({ folder }) => {
  const bundle = await readFile(program.file, 'utf8');
  const crippled = join(folder, 'crippled.mjs');
  await writeFile(
    crippled,
    bundle.replaceAll('node:sqlite', 'node:none').replaceAll(/file:[^"']*@photostructure[^"']*/g, 'file:///none.mjs'),
  );
  const { code, stderr } = await ended(spawn(process.execPath, [crippled, folder], { stdio: ['ignore', 'pipe', 'pipe'] }));
  expect(code).toBe(1);
  expect(stderr).toContain('use Node 22.13 or later, or install the optional package @photostructure/sqlite');
});

test('E72: a storage engine that is installed and cannot be loaded says why', async ({ folder }) => {
  const bundle = await readFile(program.file, 'utf8');
  const crippled = join(folder, 'crippled.mjs');
  const broken = join(folder, 'broken.mjs');
  await writeFile(broken, 'throw new Error("version GLIBC_2.33 not found (required by sqlite.node)\\nat home");');
  await writeFile(
    crippled,
    bundle.replaceAll('node:sqlite', 'node:none').replaceAll(/file:[^"']*@photostructure[^"']*/g, pathToFileURL(broken).href),
  );
  const { stderr } = await ended(spawn(process.execPath, [crippled, folder], { stdio: ['ignore', 'pipe', 'pipe'] }));
  expect(stderr).toContain(
    'cannot load SQLite from @photostructure/sqlite: version GLIBC_2.33 not found (required by sqlite.node): use Node 22.13 or later\n',
  );
});

test('a file of before days were counted is brought up to date, and one of a newer version is refused', async ({
  start,
  folder,
}) => {
  const made = await start({ data: folder });
  await made.shorten({ long_url: 'https://example.com/', custom_hash: 'abc' });
  await made.visit('/abc');
  await made.service.close();
  await change(
    folder,
    `DROP TABLE addresses; DROP TRIGGER day_is_over; DROP TABLE daily_clicks; ALTER TABLE urls DROP COLUMN day;
    ALTER TABLE urls DROP COLUMN day_total; ALTER TABLE urls DROP COLUMN day_fresh; ALTER TABLE visitors DROP COLUMN seen; PRAGMA user_version=1`,
  );
  // Two processes at once.
  const [client, other] = await Promise.all([start({ data: folder }), start({ data: folder })]);
  await client.visit('/abc');
  const stats = { hash: 'abc', total_clicks: 2, unique_clicks: 1, daily_clicks: { '2024-05-15': { total: 1, unique: 0 } } };
  expect((await client.call('GET', '/stats/abc')).body.stats).toEqual([stats]);
  expect((await other.call('GET', '/stats/abc')).body.stats).toEqual([stats]);
  await change(folder, 'PRAGMA user_version=99');
  await expect(start({ data: folder })).rejects.toThrow('newer version of linkctl');
});

test('E47: a killed process counts for half a minute, also if the clock was ahead by days when it was killed', async ({
  start,
  folder,
}) => {
  const at = (name: string) => ({ data: folder, domains: [{ name }], publicUrl: `https://${name}` });
  await (await start(at('one.ex'))).service.close();
  const leaveKilled = (until: number) =>
    change(folder, `DELETE FROM addresses; INSERT INTO addresses VALUES (1, 'killed', 'https://one.ex', ${until})`);
  await leaveKilled(Date.now() + 30_000);
  await expect(start(at('two.ex'))).rejects.toThrow('another process serves the same links as https://one.ex');
  await leaveKilled(Date.now() + 2 * 86_400_000);
  expect((await start(at('two.ex'))).service.domains).toEqual(['two.ex', 'one.ex']);
  const connection = await openConnection(folder, 'links-a.db');
  expect(connection.sql('SELECT address FROM addresses').all()).toEqual([{ address: 'https://two.ex' }]);
  connection.close();
});

test('S5: a page of the file that cannot be read fails the calls that need it, and links are still redirected', async ({
  start,
  folder,
}) => {
  const made = await start({ data: folder });
  await made.shorten({ long_url: 'https://example.com/', custom_hash: 'abc', tags: ['t'] });
  await made.service.close();
  await damageTable(folder, 'tags');
  const failures: unknown[] = [];
  const client = await start({ data: folder, onFailure: (error) => failures.push(error) });
  for (let nth = 0; nth < 2; nth++) {
    const { status, body } = await client.call('GET', '/tags');
    expect([status, body.error.code]).toEqual([500, 101]);
    expect((await client.visit('/abc')).headers.get('location')).toBe('https://example.com/');
  }
  expect(failures.map(String)).toEqual(Array(2).fill('Error: database disk image is malformed'));
});

test('a visit sees the clicks that this process stored in the same turn, and those of another from the next turn on', async ({
  folder,
}) => {
  const [one, other] = [await openStore(folder), await openStore(folder)];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const url = await createUrl(one);
  const visit = { urlId: url.id, visitor: 'v', time: 1, isCounted: false };
  const storedClicks = async () => (await one.findTarget(url.domain, 'abc'))?.totalClicks;
  const seen = [await storedClicks()];
  await one.recordClicks([visit], 1);
  seen.push(await storedClicks());
  await other.recordClicks([visit, visit], 1);
  seen.push(await storedClicks());
  await turn();
  seen.push(await storedClicks());
  expect(seen).toEqual([0, 1, 1, 3]);
});

async function change(folder: string, sql: string): Promise<void> {
  const connection = await openConnection(folder, 'links-a.db');
  connection.exec(sql);
  connection.close();
}

/** Overwrites the first page of a table in a file that nobody has open. */
async function damageTable(folder: string, table: string): Promise<void> {
  const connection = await openConnection(folder, 'links-a.db');
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const page = connection.count('SELECT rootpage AS count FROM sqlite_schema WHERE name = ?', table);
  const { size = 0 } = connection.sql('SELECT page_size AS size FROM pragma_page_size').get<{ size: number }>() ?? {};
  connection.close();
  const file = await open(join(folder, 'links-a.db'), 'r+');
  await file.write(Buffer.alloc(size, 255), 0, size, (page - 1) * size);
  await file.close();
}
