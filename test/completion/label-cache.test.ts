import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cachedLabels } from '../../src/completion/label-cache.ts';
import { cacheLabels } from '../../src/completion/label-storage.ts';
import { createSources } from '../../src/completion/sources.ts';
import { removedKey } from '../../src/contract/records.ts';
import { test } from '../support/linkctl.ts';
import { createTestSystem } from '../support/test-system.ts';

const hour = 3_600_000;

test.for([
  [0, true],
  [24 * hour, true],
  [24 * hour + 1, false],
  [-1, false],
] as const)('B95: labels kept %i ms ago are offered: %s', async ([age, offered], { homeEnv: env }) => {
  let now = 1_700_000_000_000;
  const system = createTestSystem({ env, now: () => now });
  cacheLabels('tags', ['promo'], { profile: 'work', system });
  now += age;
  expect(cachedLabels('tags', 'work', system)).toEqual(offered ? ['promo'] : []);
});

test('B95, R-40: a label from which the API key was removed is not offered, because it cannot be sent', async ({
  homeEnv: env,
}) => {
  const system = createTestSystem({ env });
  cacheLabels('tags', [`keep${removedKey}`, 'promo'], { profile: 'work', system });
  expect(cachedLabels('tags', 'work', system)).toEqual(['promo']);
});

test('B95: profiles, tags and domains are kept apart, for this user alone', async ({ folder, homeEnv: env }) => {
  const system = createTestSystem({ env });
  cacheLabels('tags', ['one'], { profile: 'work', system });
  cacheLabels('tags', ['two'], { profile: 'hobby', system });
  cacheLabels('domains', ['s.ex'], { profile: 'work', system });
  cacheLabels('tags', ['nobody'], { profile: undefined, system });
  expect(cachedLabels('tags', 'work', system)).toEqual(['one']);
  expect(cachedLabels('tags', 'hobby', system)).toEqual(['two']);
  expect(cachedLabels('domains', 'work', system)).toEqual(['s.ex']);
  expect(cachedLabels('domains', 'hobby', system)).toEqual([]);
  const cache = join(folder, '.cache', 'linkctl');
  expect((await readdir(join(cache, 'tags'))).sort()).toEqual(['hobby.json', 'work.json']);
  expect((await stat(join(cache, 'tags'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(cache, 'tags', 'work.json'))).mode & 0o777).toBe(0o600);
});

test.for(['', 'null', '{', '{"saved":0}', '{"saved":1e15,"labels":["x"]}', '[]'])(
  'a damaged cache offers nothing: %s',
  async (text, { folder, homeEnv: env }) => {
    await mkdir(join(folder, '.cache', 'linkctl', 'tags'), { recursive: true });
    await writeFile(join(folder, '.cache', 'linkctl', 'tags', 'work.json'), text);
    expect(cachedLabels('tags', 'work', createTestSystem({ env }))).toEqual([]);
  },
);

test('B70: a home that cannot be written to is no failure', async ({ folder, homeEnv: env }) => {
  await writeFile(join(folder, '.cache'), 'a file where the folder should be');
  await chmod(join(folder, '.cache'), 0o400);
  const system = createTestSystem({ env });
  cacheLabels('tags', ['promo'], { profile: 'work', system });
  expect(cachedLabels('tags', 'work', system)).toEqual([]);
});

test.for<[string, Record<string, string>, string[]]>([
  ['the current profile', {}, ['of-work']],
  ['LINKCTL_PROFILE', { LINKCTL_PROFILE: 'hobby' }, ['of-hobby']],
  ['credentials in the environment, which belong to no profile', { LINKCTL_API_KEY: 'k', LINKCTL_PROFILE: 'hobby' }, []],
  ['a name that none can have', { LINKCTL_PROFILE: '../work' }, []],
])('B61: labels are those of %s', async ([, variables, labels], { folder, homeEnv }) => {
  const system = createTestSystem({ env: { ...homeEnv, ...variables } });
  await mkdir(join(folder, '.config', 'linkctl'), { recursive: true });
  const sources = createSources(system, async () => 1);
  const config = { current_profile: 'work', profiles: { work: { api_key: 'x' }, hobby: {}, 'not.a.name': {} } };
  await writeFile(join(folder, '.config', 'linkctl', 'config.json'), JSON.stringify(config));
  cacheLabels('tags', ['of-work'], { profile: 'work', system });
  cacheLabels('tags', ['of-hobby'], { profile: 'hobby', system });
  expect(sources.labels('tags', undefined)).toEqual(labels);
  expect(sources.labels('tags', 'hobby')).toEqual(['of-hobby']);
  expect(sources.profiles()).toEqual(['work', 'hobby', 'sandbox']);
});
