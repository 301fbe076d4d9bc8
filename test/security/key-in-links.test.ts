import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { foreign } from '../commands/undo-world.ts';
import { apiKey, sent, sure, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';

const leaky = { custom_hash: 'a', long_url: `https://e.example/?k=${apiKey}`, note: `n ${apiKey}`, tags: ['promo'] };
const plain = { custom_hash: 'b', long_url: 'https://e.example/b' };
const why = 'not sent: undo could not restore its long_url, which contains the API key: add --no-undo';

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
  expect(ran.stderr).toMatch(/\ba\b.*not sent|a: .*is incomplete/);
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
  'R-40, R-47: a listing as %s with a key taken out is no input',
  async (format, { linkctl, folder, wire }) => {
    const path = join(folder, `links.${format}`);
    const listed = await linkctl(['list', '-o', format]);
    expect(listed.stderr).toContain('the server returns the API key in its responses; linkctl removes it');
    writeFileSync(path, listed.stdout.replaceAll('e.example', 'f.example'));
    for (const argv of [['apply', ...sure], ['edit', ...sure], ['shorten']]) {
      const ran = await linkctl([...argv, '-f', path]);
      expect(ran).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/links\.\w+:[\d:]+: .*is incomplete: the API key was removed/),
      });
    }
    expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
    expect(readFileSync(path, 'utf8')).toContain('f.example');
  },
);
