import { expect, onTestFinished, test } from 'vitest';
import { deleteTag } from '../../src/client/account-tags.ts';
import { startService } from '../../src/service/service.ts';
import { startFaultyProcess } from '../support/faulty-process.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { answer, failureOf, key, rig } from './client-fixture.ts';

const items = { body: { urls: ['a', 'b', 'c'].map((path) => ({ long_url: `https://nodejs.org/${path}` })) } };

async function inFrontOfService(...steps: Step[]) {
  const service = await startService({ edition: 'a', username: 'ann', apiKey: key, redirects: false });
  onTestFinished(() => service.close());
  return rig(steps, { server: { backend: service.baseUrl } });
}

test.each<[string, Step, number]>([
  ['F04', faults.dropBefore, 0],
  ['F05', faults.dropAfter, 3],
  ['F06', faults.dropMiddle(2), 2],
  ['F10', faults.cutAfter, 3],
  ['F20', faults.htmlAfter, 3],
  ['F30', faults.badGatewayBefore, 0],
  ['F30', faults.badGatewayAfter, 3],
])('%s: the service has what the fault says, and the client knows that it does not know', async (_name, step, created) => {
  const { client } = await inFrontOfService(step);
  expect(await failureOf(client.send('shortenUrls', items))).toMatchObject({ outcome: 'ambiguous', exitCode: 10 });
  expect((await client.send('listUrls', {})).urls).toHaveLength(created);
});

test('F07: a request can be applied after the client gave up', async () => {
  const { client, server } = await inFrontOfService(faults.late('release'));
  await failureOf(client.send('shortenUrls', items));
  expect((await client.send('listUrls', {})).urls).toHaveLength(0);
  await server.release();
  expect((await client.send('listUrls', {})).urls).toHaveLength(3);
});

test.each<[string, Step, number]>([
  ['F32: shorter', faults.shorter, 2],
  ['F33: longer', faults.longer, 4],
  ['F34: reordered', faults.shuffled, 3],
  ['F35: repeated', faults.repeated, 4],
  ['F36: without errors', faults.withoutErrors, 3],
])('%s answers reach the caller as they are', async (_name, step, count) => {
  const { client } = await inFrontOfService(step);
  expect((await client.send('shortenUrls', items)).urls).toHaveLength(count);
});

test('F05: the deletion of a tag that was applied without an answer is done', async () => {
  const { client, server } = await inFrontOfService();
  await client.send('addTag', { body: { label: 'mine' } });
  await server.script([faults.dropAfter]);
  await deleteTag(client, 'mine');
  expect((await client.send('listTags', {})).tags).toEqual([]);
});

test('the faulty server runs as a process of its own, with script and log', async () => {
  const server = await startFaultyProcess();
  onTestFinished(() => server.close());
  await server.script([faults.refuse(1300), answer({ tags: [{ label: 'a' }] })]);
  const { client } = await rig([], { baseUrl: server.baseUrl });
  expect(await failureOf(client.send('listTags', {}))).toMatchObject({ apiCode: 1300 });
  expect(await client.send('listTags', {})).toMatchObject({ tags: [{ label: 'a' }] });
  expect(await server.requests()).toMatchObject([{ method: 'GET', url: '/api/3/tags' }, { url: '/api/3/tags' }]);
});

test('faults come at random with a seed', async () => {
  const chance = { rate: 0.35, steps: [faults.badGatewayBefore] };
  const runs = await Promise.all(
    [5, 5, 6].map(async (seed) => {
      const { client, server } = await rig([], { server: { seed, chance }, retries: 0 });
      const outcomes: boolean[] = [];
      for (let i = 0; i < 20; i += 1)
        outcomes.push(await client.send('addTag', { body: { label: 'a' } }).then(Boolean, () => false));
      expect(await server.requests()).toHaveLength(20);
      return outcomes.join();
    }),
  );
  expect(runs[0]).toBe(runs[1]);
  expect(runs[0]).not.toBe(runs[2]);
});
