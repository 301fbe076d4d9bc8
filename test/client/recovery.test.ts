import { expect, test } from 'vitest';
import type { OperationInput } from '../../src/contract/operations.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { answer, failureOf, rig } from './client-fixture.ts';

const always = (step: Step): Step => ({ ...step, times: 'all' });
const edit: OperationInput<'editUrl'> = { path: { hash: 'old' }, body: { urls: [{ custom_hash: 'new' }] } };
const found = (...hashes: string[]): Step =>
  answer({ urls: hashes.map((hash) => ({ hash, long_url: 'https://a.example/' })), page: null });
const labels = (...names: string[]): Step => answer({ tags: names.map((label) => ({ label })) });

const methods = async (server: { requests(): Promise<{ method: string; url: string }[]> }) =>
  (await server.requests()).map(({ method, url }) => `${method} ${url.replace('/api/3', '')}`);

test('2.1: a deletion in doubt that finds nothing the second time was done', async () => {
  const { server, client } = await rig([faults.dropAfter, faults.refuse(1306, 404)]);
  expect(await client.send('deleteUrl', { path: { hash: 'a' } })).toEqual({ error: { code: 0, message: '' } });
  expect(await server.requests()).toHaveLength(2);
});

test('a deletion that was never in doubt and finds nothing fails: exit 5', async () => {
  const { client } = await rig([faults.refuse(1306, 404)]);
  expect(await failureOf(client.send('deleteUrl', { path: { hash: 'a' } }))).toMatchObject({ exitCode: 5 });
});

test('2.1: the deletion of a tag in doubt that finds nothing the second time was done', async () => {
  const { client } = await rig([faults.dropAfter, faults.refuse(1309)]);
  expect(await client.send('deleteTag', { path: { label: 'a' } })).toEqual({ error: { code: 0, message: '' } });
});

test('a group deletion with an unknown hash that was never in doubt fails as the server says', async () => {
  const { server, client } = await rig([faults.refuse(1306)]);
  expect(await failureOf(client.send('deleteUrls', { query: { hashes: 'a,b' } }))).toMatchObject({
    exitCode: 5,
    outcome: 'rejected',
  });
  expect(await server.requests()).toHaveLength(1);
});

test('2.1: a rename in doubt that happened is not repeated', async () => {
  const { server, client } = await rig([faults.dropAfter, found('new')]);
  expect(await client.send('editUrl', edit)).toMatchObject({ urls: [{ hash: 'new', error: { code: 0 } }] });
  expect(await methods(server)).toEqual(['PATCH /urls/old', 'GET /urls?hashes=old%2Cnew']);
});

test('2.1: a rename in doubt that did not happen is repeated', async () => {
  const { server, client } = await rig([faults.dropBefore, found('old'), answer({ urls: [{ hash: 'new' }] })]);
  expect(await client.send('editUrl', edit)).toMatchObject({ urls: [{ hash: 'new' }] });
  expect((await methods(server)).filter((call) => call.startsWith('PATCH'))).toHaveLength(2);
});

test('F07: a rename that is applied late, after it was looked at, is found', async () => {
  const failed = answer({ urls: [{ hash: 'old', error: { code: 1306, message: '' } }] });
  const { client } = await rig([faults.dropBefore, found('old'), failed, found('new')]);
  expect(await client.send('editUrl', edit)).toMatchObject({ urls: [{ hash: 'new', error: { code: 0 } }] });
});

test('2.1: a rename of which neither name can be found stays in doubt', async () => {
  const { client } = await rig([faults.dropAfter, found()]);
  expect(await failureOf(client.send('editUrl', edit))).toMatchObject({
    exitCode: 10,
    hint: expect.stringContaining('linkctl list -- old new'),
  });
});

test('a rename whose look fails stays in doubt, and the first failure is told', async () => {
  const { client } = await rig([faults.dropAfter, always(faults.refuse(1303))]);
  expect(await failureOf(client.send('editUrl', edit))).toMatchObject({ exitCode: 10, apiCode: undefined });
});

test('a rename that always ends in doubt is tried three times', async () => {
  const { server, client } = await rig([always({ ...faults.dropBefore, only: { method: 'PATCH' } }), always(found('old'))]);
  expect(await failureOf(client.send('editUrl', edit))).toMatchObject({ exitCode: 10 });
  expect((await methods(server)).filter((call) => call.startsWith('PATCH'))).toHaveLength(3);
});

test.each([
  ['happened', 'old', 'new', ['new'], 1],
  ['did not happen', 'old', 'new', ['OLD'], 2],
  ['changed case and happened', 'news', 'News', ['News'], 1],
  ['changed case and did not happen', 'news', 'News', ['news'], 2],
])('2.1, F49: the rename of a tag in doubt that %s', async (_what, old, label, present, patches) => {
  const { server, client } = await rig([faults.dropAfter, labels(...present), labels(label)]);
  expect(await client.send('renameTag', { path: { label: old }, body: { label } })).toMatchObject({ tags: [{ label }] });
  expect((await methods(server)).filter((call) => call.startsWith('PATCH'))).toHaveLength(patches);
});

test('F07: the rename of a tag that is applied late is found', async () => {
  const { client } = await rig([faults.dropBefore, labels('old'), faults.refuse(1309), labels('new')]);
  expect(await client.send('renameTag', { path: { label: 'old' }, body: { label: 'new' } })).toMatchObject({
    tags: [{ label: 'new' }],
  });
});
