import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { removedKey } from '../../src/contract/records.ts';
import { foreign } from '../commands/undo-world.ts';
import { apiKey, sure, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';

const leaky = { custom_hash: 'a', long_url: `https://e.example/?k=${apiKey}`, note: `n ${apiKey}`, tags: ['promo'] };
const plain = { custom_hash: 'b', long_url: 'https://e.example/b' };
const why =
  'not sent: undo could not restore the API key in its long_url: turn undo off (--no-undo, or linkctl config set undo off)';

test.beforeEach(async ({ service }) => {
  await store(service, [leaky, plain]);
});

test.for([
  ['rewrite', ['rewrite', 'https://e.example', 'https://f.example', ...sure]],
  ['rewrite --no-undo', ['rewrite', 'https://e.example', 'https://f.example', '--no-undo', ...sure]],
  ['a rewrite that takes the key out', ['rewrite', '--remove-param', 'k', 'a', ...sure]],
  ['edit', ['edit', 'a', '--url', 'https://f.example/']],
  ['delete', ['delete', 'a', '--yes']],
  ['delete --all', ['delete', '--all', ...sure]],
] as const)('R-40, G5: %s leaves a link with the key in it as it is, and names it', async ([_, argv], { linkctl, service }) => {
  const before = (await stored(service)).find(({ hash }) => hash === 'a');
  const ran = await linkctl(argv);
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toMatch(/\ba\b.*not sent/);
  expect((await stored(service)).find(({ hash }) => hash === 'a')).toEqual(before);
});

test('R-40: the other links of a change are changed, and the one with the key can be changed without a record of it', async ({
  linkctl,
  service,
}) => {
  const ran = await linkctl(['delete', '--all', ...sure]);
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining(why) });
  expect((await stored(service)).map(({ hash }) => hash)).toEqual(['a']);
  expect(await linkctl(['edit', 'a', '--url', 'https://f.example/', '--no-undo'])).toMatchObject({ code: 0 });
  expect(await stored(service)).toMatchObject([{ long_url: 'https://f.example/', note: leaky.note }]);
});

test('R-40, R-47: what a change and its undo do not touch may contain the key', async ({ linkctl, service }) => {
  const before = await stored(service);
  expect(await linkctl(['edit', 'a', '--add-tag', 'x', '--max-clicks', '3'])).toMatchObject({ code: 0 });
  const [run = ''] = (await linkctl(['runs', 'list', '-o', 'csv', '--fields', 'run'])).stdout.split('\n').slice(1);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
  expect(await stored(service)).toEqual(before);
});

test('R-40, U2: a link that somebody gave the key is undone by force: its undo records nothing that is sent', async ({
  linkctl,
  service,
}) => {
  expect(await linkctl(['edit', 'b', '--url', 'https://f.example/'])).toMatchObject({ code: 0 });
  await foreign(service, 'PATCH', '/urls/b', { long_url: `https://g.example/?k=${apiKey}` });
  const [run = ''] = (await linkctl(['runs', 'list', '-o', 'csv', '--fields', 'run'])).stdout.split('\n').slice(1);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 3 });
  expect(await linkctl(['undo', run, '--yes', '--force'])).toMatchObject({ code: 0 });
  expect((await stored(service)).find(({ hash }) => hash === 'b')).toMatchObject({ long_url: plain.long_url });
});

test.for(['csv', 'json', 'jsonl'])(
  'R-40, R-47: of a listing as %s, a row with a key taken out is not sent, and the others are',
  async (format, { linkctl, folder, service }) => {
    const path = join(folder, `links.${format}`);
    const listed = await linkctl(['list', '-o', format]);
    expect(listed.stderr).toContain('the server returns the API key in its responses; linkctl removes it');
    const before = (await stored(service)).find(({ hash }) => hash === 'a');
    for (const [command = '', ...flags] of [
      ['apply', ...sure],
      ['edit', ...sure],
    ]) {
      writeFileSync(path, listed.stdout.replaceAll('e.example', `${command}.example`));
      const ran = await linkctl([command, ...flags, '-f', path]);
      expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining(': not sent: the API key was removed from its ') });
      const now = await stored(service);
      expect(now.find(({ hash }) => hash === 'a')).toEqual(before);
      expect(now.map(({ long_url }) => long_url)).toContain(`https://${command}.example/b`);
    }
  },
);

test('R-40, R-47: shorten -f creates the links of a file without the one whose key was taken out', async ({
  linkctl,
  service,
}) => {
  const stdin = `https://e.example/?k=${removedKey}\nhttps://e.example/new\n`;
  const ran = await linkctl(['shorten', '-f', '-'], { stdin });
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('not sent: the API key was removed from its long_url') });
  const made = (await stored(service)).map(({ long_url }) => long_url);
  expect(made).toHaveLength(3);
  expect(made).toContain('https://e.example/new');
});

test('R-40, B46: a listing with a key taken out is a base, equal to its account, and changes what does not hold the key', async ({
  linkctl,
  folder,
  service,
}) => {
  const [base, edited] = [join(folder, 'base.csv'), join(folder, 'edited.csv')];
  const { stdout } = await linkctl(['list', '-o', 'csv', '--fields', 'writable']);
  writeFileSync(base, stdout);
  expect(await linkctl(['diff', '-f', base])).toMatchObject({ code: 0 });
  expect(await linkctl(['edit', '-f', base, ...sure])).toMatchObject({ code: 0, stderr: expect.stringContaining('2 unchanged') });
  writeFileSync(edited, stdout.replace('promo', 'demo'));
  expect(await linkctl(['edit', '-f', edited, '--base', base, ...sure])).toMatchObject({ code: 0 });
  const now = (await stored(service)).find(({ hash }) => hash === 'a');
  expect(now).toMatchObject({ long_url: leaky.long_url, note: leaky.note, tags: ['demo'] });
});

test.for([
  [['delete', '--by-tags', `promo&~"${removedKey}"`, ...sure]],
  [['list', '--search', `n ${removedKey}`]],
  [['api', 'GET', `/urls?search=${encodeURIComponent(removedKey)}`]],
  [['api', 'PATCH', '/urls/b', '--body', JSON.stringify({ urls: [{ note: removedKey }] })]],
  [['shorten', `https://e.example/?k=${removedKey}`]],
  [['edit', 'b', '--note', removedKey, '--no-undo']],
  [['tags', 'add', removedKey]],
  [['tags', 'rename', 'promo', `x${removedKey}`]],
  [['tags', 'delete', removedKey, '--no-undo', ...sure]],
] as const)('R-40, R-47: what linkctl shows instead of the key is never sent: %j', async ([argv], { linkctl, service, wire }) => {
  const before = await stored(service);
  const ran = await linkctl(argv);
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toContain('not sent: ');
  expect(await stored(service)).toEqual(before);
  expect(JSON.stringify(await wire.requests())).not.toContain('removed-by-linkctl');
  expect((await linkctl(['runs', 'list', '-o', 'csv'])).stdout).not.toContain(',unfinished,');
});

test('R-40, K5: check asks for no destination from which the key was taken, and keeps no address with the key in it', async ({
  linkctl,
  service,
  folder,
}) => {
  const asked: string[] = [];
  const page = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(url === '/away' ? 301 : 200, { location: `/here?k=${apiKey}` }).end();
  });
  await once(page.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  await store(service, [
    { custom_hash: 'keyed', long_url: `${origin}/?k=${apiKey}` },
    { custom_hash: 'away', long_url: `${origin}/away` },
  ]);
  const results = join(folder, 'results.csv');
  const check = ['check', 'keyed', 'away', '--allow-private', '-o', 'csv', '--fields', 'hash,status,final_url,reason'];
  const ran = await linkctl([...check, '--results', results]);
  expect(ran).toMatchObject({ code: 0 });
  const why = 'the destination contains the API key';
  expect(ran.stdout.split('\n').slice(1, 3)).toEqual([`keyed,skipped,,${why}`, `away,moved,${origin}/here?k=${removedKey},`]);
  expect(asked).toEqual(['/away', `/here?k=${apiKey}`]);
  const links = await linkctl([...check, '--links']);
  expect(links.stdout).toContain(`keyed,skipped,,${why}`);
  expect((await linkctl(['report', '--html', join(folder, 'r.html')])).code).toBe(0);
  const kept = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = kept.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect([ran.stdout, ran.stderr, links.stdout, ...texts].filter((text) => text.includes(apiKey))).toEqual([]);
  page.close();
});

test('R-40, G5: a tag that may be one with the key in it is not called missing', async ({ linkctl, service }) => {
  await store(service, [{ custom_hash: 'c', long_url: 'https://e.example/c', tags: [`del-${apiKey}`] }]);
  const before = await stored(service);
  for (const flags of [[], ['--ignore-missing']]) {
    const ran = await linkctl(['tags', 'delete', `del-${apiKey}`, ...sure, ...flags]);
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/not sent: tag ".*" may be one that contains/),
    });
  }
  expect(await stored(service)).toEqual(before);
});
