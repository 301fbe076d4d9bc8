import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { foreign, killed } from '../commands/undo-world.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, sure, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';

const links = [
  { custom_hash: 'd1', long_url: `https://e.example/?k=${apiKey}`, tags: ['z'] },
  { custom_hash: 'd2', long_url: 'https://e.example/2', tags: ['z'] },
  { custom_hash: 'd3', long_url: 'https://e.example/3', note: `n ${apiKey}`, tags: ['z'] },
];
const rows = ['d1', 'd2', 'd3'].map((hash) => `${hash},https://f.example/,m\n`).join('');
const files = { 'd.txt': 'd1\nd2\nd3\n', 'e.csv': `hash,long_url,note\n${rows}` };

test.for([
  ['DELETE', ['delete', '--hashes-from', 'd.txt', '--yes']],
  ['DELETE', ['delete', '--by-tags', 'z', ...sure]],
  ['PATCH', ['edit', '-f', 'e.csv', ...sure]],
  ['PATCH', ['edit', '--by-tags', 'z', '--url', 'https://f.example/', '--note', 'm', ...sure]],
  ['PATCH', ['apply', '-f', 'e.csv', ...sure]],
] as const)(
  'R-18, R-40, G5: a resumed run refuses again the links with the key that were never sent: %s %j',
  async ([method, words], { linkctl, service, wire, env, folder }) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const argv = words.map((word) => (word in files ? join(folder, word) : word));
    await store(service, links);
    const kept = (await stored(service)).filter(({ hash }) => hash !== 'd2');
    await killed(argv, { only: { method }, ...faults.silentAfter }, { wire, env });
    const resumed = await linkctl(argv);
    expect(resumed).toMatchObject({ code: 3, stderr: expect.stringContaining('not sent: undo could not restore the API key') });
    expect((await stored(service)).filter(({ hash }) => hash !== 'd2')).toEqual(kept);
  },
);

test('R-18, R-40: a row that was sent stays in doubt when somebody has given its link the key since', async ({
  linkctl,
  service,
  wire,
  env,
}) => {
  await store(service, [{ custom_hash: 'a', long_url: 'https://e.example/', note: 'n' }]);
  const argv = ['edit', 'a', '--url', 'https://f.example/', '--note', 'm'];
  const patch = { only: { method: 'PATCH' } };
  await killed(argv, { ...patch, ...faults.silentBefore }, { wire, env });
  await foreign(service, 'PATCH', '/urls/a', { note: `n ${apiKey}` });
  await killed(argv, { ...patch, ...faults.silentAfter }, { wire, env });
  expect(await linkctl(argv)).toMatchObject({ code: 0 });
  expect(await stored(service)).toMatchObject([{ long_url: 'https://f.example/', note: 'm' }]);
});

test('R-18, R-40, G5: a resumed shortening with update refuses again the link with the key that was never sent', async ({
  linkctl,
  service,
  wire,
  env,
  folder,
}) => {
  const file = join(folder, 's.csv');
  writeFileSync(file, `custom_hash,long_url,note\n${rows}`);
  await store(service, links);
  const kept = (await stored(service)).filter(({ hash }) => hash !== 'd2');
  const argv = ['shorten', '-f', file, '--on-conflict', 'update'];
  await killed(argv, { only: { method: 'PATCH' }, ...faults.silentAfter }, { wire, env });
  const resumed = await linkctl(argv);
  expect(resumed).toMatchObject({ code: 3, stderr: expect.stringContaining('not sent: undo could not restore the API key') });
  expect((await stored(service)).filter(({ hash }) => hash !== 'd2')).toEqual(kept);
});

test.for([
  ['answered', {}],
  ['answered, but the answer is lost', faults.dropAfter],
  ['lost', faults.dropBefore],
] as const)(
  'R-18, R-40, G5: a long label is removed beside one with the key: the first call is %s',
  async ([_, fault], { linkctl, service, wire, folder }) => {
    const [label, file] = ['del-ordinary-and-long-enough', join(folder, 't.csv')];
    writeFileSync(file, `hash,tags\na,-${label}\n`);
    await store(service, [{ custom_hash: 'a', long_url: 'https://e.example/', tags: [label, `del-${apiKey}`] }]);
    const argv = ['edit', '-f', file, '--retries', '0', '--no-undo', '--yes'];
    await wire.script([{ only: { method: 'PATCH' }, ...fault }]);
    const first = await linkctl(argv);
    // A listing cannot show whether the label is the one with the key, so it is removed again.
    const ran = 'end' in fault ? await linkctl(argv) : first;
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining('1 row: 1 changed') });
    expect((await stored(service))[0]?.tags).toEqual([`del-${apiKey}`]);
  },
);
