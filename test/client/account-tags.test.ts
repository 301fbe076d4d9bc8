import { expect, test } from 'vitest';
import { deleteTag, renameTag } from '../../src/client/account-tags.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { answer, failureOf, rig } from './client-fixture.ts';

const labels = (...names: string[]): Step => answer({ tags: names.map((label) => ({ label })) });

const methods = async (server: { requests(): Promise<{ method: string; url: string }[]> }) =>
  (await server.requests()).map(({ method, url }) => `${method} ${url.replace('/api/3', '')}`);

test('R 2.1: the deletion of a tag in doubt that finds nothing the second time was done', async () => {
  const { client } = await rig([faults.dropAfter, faults.refuse(1309)]);
  await deleteTag(client, 'a');
});

test.each([
  ['happened', 'old', 'new', ['new'], 1],
  ['did not happen', 'old', 'new', ['OLD'], 2],
  ['changed case and happened', 'news', 'News', ['News'], 1],
  ['changed case and did not happen', 'news', 'News', ['news'], 2],
])('R 2.1, F49: the rename of a tag in doubt that %s', async (_what, old, label, present, patches) => {
  const { server, client } = await rig([faults.dropAfter, labels(...present), labels(label)]);
  expect(await renameTag(client, old, label)).toEqual([{ label }]);
  expect((await methods(server)).filter((call) => call.startsWith('PATCH'))).toHaveLength(patches);
});

test.each([1303, 1300, 1217, 1301])('R-12, D9: after a doubt and then %i nothing more is asked', async (code) => {
  const { server, client } = await rig([faults.dropAfter, faults.refuse(code)]);
  const renamed = renameTag(client, 'old', 'new');
  expect(await failureOf(renamed)).toMatchObject({ exitCode: 10 });
  // The rename, and the look that was refused.
  expect(await methods(server)).toEqual(['PATCH /tags/old', 'GET /tags']);
});

test('F07: the rename of a tag that is applied late is found', async () => {
  const { client } = await rig([faults.dropBefore, labels('old'), faults.refuse(1309), labels('new')]);
  expect(await renameTag(client, 'old', 'new')).toEqual([{ label: 'new' }]);
});

test.each([
  ['after a doubt', [faults.dropBefore, labels('old'), faults.refuse(1309), labels('old')], false],
  ['after an earlier process', [faults.refuse(1309), labels('old')], true],
])('R 2.1, D2: %s, a tag that is listed and not found may have been renamed', async (_when, steps, mayBeDone) => {
  const { client } = await rig(steps);
  expect(await failureOf(renameTag(client, 'old', 'new', mayBeDone))).toMatchObject({ exitCode: 10 });
});
