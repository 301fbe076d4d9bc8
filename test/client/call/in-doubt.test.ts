import { expect, test } from 'vitest';
import { faults, type Step } from '../../support/faulty-steps.ts';
import { answer, failureOf, type Rig, rig } from '../client-fixture.ts';

const items = { body: { urls: [{ long_url: 'https://nodejs.org/' }] } };
const always = (step: Step): Step => ({ ...step, times: 'all' });

test.each([
  ['deleteUrl', (rigged: Rig) => rigged.client.send('deleteUrl', { path: { hash: 'a' } })],
  ['addTag', (rigged: Rig) => rigged.client.send('addTag', { body: { label: 'a' } })],
  ['editUrl', (rigged: Rig) => rigged.client.send('editUrl', { path: { hash: 'a' }, body: { urls: [{ note: 'x' }] } })],
  [
    'editSelectedUrls',
    (rigged: Rig) => rigged.client.send('editSelectedUrls', { query: { hashes: 'a' }, body: { urls: [{ note: 'x' }] } }),
  ],
] as const)('R 2.1: %s is sent again after a doubt', async (_name, call) => {
  const rigged = await rig([{ ...faults.dropAfter, times: 2 }, answer({ urls: [] })]);
  await call(rigged);
  expect(await rigged.server.requests()).toHaveLength(3);
});

test.each([
  ['a shortening', 1, (rigged: Rig) => rigged.client.send('shortenUrls', items)],
  ['a deletion by tags', 1, (rigged: Rig) => rigged.client.send('deleteUrls', { query: { tags: 'old' } })],
  ['a reset', 1, (rigged: Rig) => rigged.client.send('resetStats', { path: { hash: 'a' } })],
  ['a reset of many', 1, (rigged: Rig) => rigged.client.send('resetSelectedStats', { query: { hashes: 'a' } })],
  [
    'an edit of many with a new hash',
    1,
    (rigged: Rig) => rigged.client.send('editUrls', { body: { urls: [{ hash: 'a', custom_hash: 'b' }] } }),
  ],
  [
    'an edit by tags',
    2,
    (rigged: Rig) => rigged.client.send('editSelectedUrls', { query: { tags: 'a' }, body: { urls: [{ note: '' }] } }),
  ],
  [
    'an edit by tags that changes what it selects by',
    1,
    (rigged: Rig) =>
      rigged.client.send('editSelectedUrls', { query: { tags: '~email_stats' }, body: { urls: [{ email_stats: true }] } }),
  ],
] as const)('R 2.1: %s is sent %i times at most when in doubt, and ends with exit 10', async (_name, times, call) => {
  const rigged = await rig([always(faults.dropAfter)]);
  expect(await failureOf(call(rigged))).toMatchObject({ exitCode: 10, outcome: 'ambiguous', gaveUp: 'not safe to repeat' });
  expect(await rigged.server.requests()).toHaveLength(times);
});

test('R 1.2: with `repeat` a shortening is sent again', async () => {
  const { server, client } = await rig([faults.dropAfter, answer({ urls: [] })]);
  await client.send('shortenUrls', items, { repeat: true });
  expect(await server.requests()).toHaveLength(2);
});

test('R 1.3: a refusal after a doubt settles nothing: the call stays in doubt', async () => {
  const { client } = await rig([faults.dropAfter, faults.refuse(1303)]);
  const error = await failureOf(client.send('shortenUrls', items, { repeat: true }));
  expect(error).toMatchObject({ exitCode: 10, outcome: 'ambiguous', apiCode: 1303 });
  expect(error.message).toBe(`outcome unknown: the link may have been created: ${error.last.message}`);
});

test('R 1.3: a refusal after a doubt is plain for a read', async () => {
  const { client } = await rig([faults.dropAfter, faults.refuse(1303)]);
  expect(await failureOf(client.send('listTags', {}))).toMatchObject({ exitCode: 7, outcome: 'rejected' });
});
