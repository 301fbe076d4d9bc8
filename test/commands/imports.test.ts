import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { test as base } from '../support/linkctl.ts';
import { destinations, stored } from '../support/stored-links.ts';

const day = 86_400_000;
/** Ten minutes before midnight. */
const evening = Date.UTC(2026, 0, 31, 23, 50);
const test = base.extend({ startsAt: evening });
const onPost = { only: { method: 'POST' } } as const;
const quota: Step = { ...faults.refuse(1303), ...onPost };

const screen = { terminal: { stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };

describe('I7: UTM parameters', () => {
  test('--utm sets them in typed URLs and in rows, before the fragment; columns beat it', async ({
    linkctl,
    folder,
    service,
  }) => {
    const utm = ['--utm', 'source=mail,campaign=spring sale'];
    const url = 'https://a.example/x?B=%C3%A9&utm_source=old&a=1#top';
    const typed = await linkctl(['shorten', url, '--hash', 'typed', ...utm]);
    expect(typed.code, typed.stderr).toBe(0);
    const file = join(folder, 'links.csv');
    writeFileSync(file, `long_url,custom_hash,utmSource,UTM Medium\n${url},own,post & co,\nhttps://b.example/#,two,,e-mail\n`);
    const ran = await linkctl(['shorten', '-f', file, ...utm]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('utmSource -> utm_source, UTM Medium -> utm_medium\n');
    const links = new Map((await stored(service)).map(({ hash, long_url }) => [hash, long_url]));
    expect(links.get('typed')).toBe('https://a.example/x?B=%C3%A9&utm_source=mail&a=1&utm_campaign=spring%20sale#top');
    expect(links.get('own')).toBe('https://a.example/x?B=%C3%A9&utm_source=post%20%26%20co&a=1&utm_campaign=spring%20sale#top');
    expect(links.get('two')).toBe('https://b.example/?utm_source=mail&utm_campaign=spring%20sale&utm_medium=e-mail#');
  });

  test('a URL that would be too long is refused with its line; an edit sets them in the long URL of the row', async ({
    linkctl,
    folder,
    wire,
  }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, `long_url\nhttps://a.example/${'x'.repeat(2020)}\n`);
    expect(await linkctl(['shorten', '-f', file, '--utm', 'source=newsletter'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${file}:2: long_url: with utm_source it is longer than 2048 characters`),
    });
    writeFileSync(file, 'hash,utm_source\nabc,mail\n');
    expect(await linkctl(['edit', '-f', file, '--domain', 'localhost'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${file}:2: utm_source: the row has no long_url to set it in`),
    });
    expect(await wire.requests()).toEqual([]);
  });

  test('J8: a run that was begun with other parameters is not resumed', async ({ linkctl, folder, service, wire }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url\nhttps://a.example/\nhttps://b.example/\n');
    const words = ['shorten', '-f', file, '--batch-size', '1'];
    await wire.script([onPost, quota]);
    expect((await linkctl([...words, '--utm', 'source=a'])).code).toBe(7);
    const other = await linkctl([...words, '--utm', 'source=b']);
    expect(other).toMatchObject({ code: 9, stderr: expect.stringContaining('was started with other flags (--utm)') });
    expect((await linkctl([...words, '--utm', 'source=a'])).code).toBe(0);
    expect(await destinations(service)).toEqual(['https://a.example/?utm_source=a', 'https://b.example/?utm_source=a']);
  });
});

describe('I8: a dry run', () => {
  test('shows three rows as they would be made, in a table; -v the calls', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'export.csv');
    const rows = Array.from({ length: 5 }, (_, nth) => `https://a.example/${nth};code${nth};+1y`);
    writeFileSync(file, `Destination;Slashtag;Expires\n${rows.join('\n')}\n`);
    const { code, stdout, stderr } = await linkctl(['shorten', '-f', file, '-n', '-v'], screen);
    expect(code, stderr).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^LONG URL +CUSTOM HASH +EXPIRES$/);
    expect(lines).toHaveLength(4);
    expect(lines[3]).toMatch(/^https:\/\/a\.example\/2 +code2 +20\d\d-\d\d-\d\d$/);
    expect(stderr).toContain('POST /urls');
    expect(stderr).toContain(
      '… and 2 URLs more\n5 URLs would be shortened\nnot checked: custom hashes\ndry run: nothing was sent\n',
    );
    // The requests name the account's domain, which is looked up.
    expect((await wire.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('shows every problem, and the rows without one', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.csv');
    const bad = Array.from({ length: 30 }, (_, nth) => `not a url,x${nth}`);
    writeFileSync(file, `long_url,custom_hash\nhttps://a.example/,a\n${bad.join('\n')}\n`);
    const { code, stdout, stderr } = await linkctl(['shorten', '-f', file, '-n'], screen);
    expect(code).toBe(2);
    expect(stdout.trimEnd().split('\n')).toEqual(['LONG URL            CUSTOM HASH', 'https://a.example/  a']);
    expect(stderr.split('\n').filter((line) => line.startsWith(`${file}:`))).toHaveLength(30);
    expect(await wire.requests()).toEqual([]);
  });
});

test.for(['shorten', 'edit', 'diff'])(
  'B51: %s -f names 20 problems and what lists all; JSON and a dry run list all',
  async (command, { linkctl, folder, wire }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, `long_url,hash\n${'not a url,x\n'.repeat(30)}`);
    const words = [command, '-f', file];
    const { code, stderr } = await linkctl(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/\n\.\.\. and \d+ more problems; --dry-run lists all\n/);
    const { details } = JSON.parse((await linkctl([...words, '-o', 'json'])).stderr).error;
    expect(details.length).toBeGreaterThanOrEqual(30);
    expect(details.join()).not.toContain('more problems');
    const dry = await linkctl([...words, '--dry-run']);
    expect(dry.stderr.split('\n').filter((line) => line.startsWith(`${file}:`))).toEqual(details);
    expect((await wire.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

describe('I9: stdin', () => {
  test('shorten - reads URLs as -f - does', async ({ linkctl, service }) => {
    const ran = await linkctl(['shorten', '-', '--tag', 'x'], { stdin: '# mine\nhttps://a.example/\n\nhttps://b.example/\n' });
    expect(ran.code, ran.stderr).toBe(0);
    expect((await stored(service)).map(({ long_url, tags }) => [long_url, tags]).sort()).toEqual([
      ['https://a.example/', ['x']],
      ['https://b.example/', ['x']],
    ]);
  });

  test('not beside other URLs or a file', async ({ linkctl, wire }) => {
    expect((await linkctl(['shorten', '-', 'https://a.example/'])).code).toBe(2);
    expect((await linkctl(['shorten', '-', '-f', 'links.csv'])).code).toBe(2);
    expect(await wire.requests()).toEqual([]);
  });
});

describe.each(['a', 'b'] as const)('D24, I5: dates that count from today, edition %s', (edition) => {
  test.override({ edition });

  test('a run that is resumed after midnight has the dates of its beginning', async ({ linkctl, folder, service, wire }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url,expires\nhttps://a.example/,+30d\nhttps://b.example/,tomorrow\nhttps://c.example/,today\n');
    const words = ['shorten', '-f', file, '--batch-size', '1'];
    await wire.script([onPost, quota]);
    expect(await linkctl(words, { now: () => evening })).toMatchObject({ code: 7 });
    const ran = await linkctl(words, { now: () => evening + day });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^resuming run \S+: 1 of 3 rows are done$/m) });
    const links = new Map((await stored(service)).map(({ long_url, expiration_date }) => [long_url, expiration_date]));
    const from = (days: number) => new Date(evening + days * day).toISOString().slice(0, 10);
    expect([...links].sort()).toEqual([
      ['https://a.example/', from(30)],
      ['https://b.example/', from(1)],
      ['https://c.example/', from(0)],
    ]);
  });

  test('C18: of a run that is resumed months later, dates that are over by now are named before anything is sent', async ({
    linkctl,
    folder,
    wire,
  }) => {
    const file = join(folder, 'links.csv');
    const rows = ['https://a.example/,+30d', 'https://b.example/,+30d', 'https://c.example/,+2w', 'https://d.example/,+1y'];
    writeFileSync(file, `long_url,expires\n${rows.join('\n')}\nhttps://e.example/,\n`);
    const words = ['shorten', '-f', file, '--batch-size', '1', '--expires', 'tomorrow'];
    await wire.script([onPost, quota]);
    expect(await linkctl(words, { now: () => evening })).toMatchObject({ code: 7, stderr: expect.not.stringContaining('past') });
    await wire.script([quota]);
    const later = { now: () => evening + 300 * day };
    const why = 'is in the past, because it counts from 2026-01-31, when the run began';
    const stopped = await linkctl(words, later);
    expect(stopped.stderr.split('\n').filter((line) => line.startsWith('warning:'))).toEqual([
      `warning: --expires tomorrow: 2026-02-01 ${why}`,
      `warning: +30d: 2026-03-02 ${why}`,
      `warning: +2w: 2026-02-14 ${why}`,
    ]);
    expect(await linkctl([...words, '-q'], later)).toMatchObject({ code: 0, stderr: expect.stringContaining('warning: +30d') });
    expect(await linkctl(words, later)).toMatchObject({ code: 2, stderr: expect.not.stringContaining('past') });
  });
});
