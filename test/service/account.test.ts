import { describe, expect } from 'vitest';
import { authorization, inBothEditions, noon, test } from './running-service.ts';

const url = 'https://example.com/';
const day = 86_400_000;

inBothEditions((test, edition) => {
  test('2.2: GET /account names the account and its counters', async ({ start }) => {
    const client = await start({ limits: { maxUrls: 10, maxMonthUrls: 5, maxCallsPerDay: 100 } });
    await client.shorten({ long_url: url, custom_hash: 'a' }, { long_url: url });
    await client.call('DELETE', '/urls/a');
    const { account } = (await client.call('GET', '/account')).body;
    expect(account).toMatchObject({
      user_id: expect.any(String),
      username: 'ada',
      account_expiration_date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      subscription_plan: expect.any(String),
      counters: {
        urls: { count: 1, limit: 10 },
        today_api_calls: { count: 3, limit: 100 },
        month_urls: { count: 2, limit: 5 },
      },
    });
    expect('custom_domain' in account).toBe(edition === 'b');
  });

  test('section 3, 5.2: an inactive account gets 1217 on every call', async ({ start }) => {
    const client = await start({ account: { active: false } });
    for (const [method, path] of [
      ['GET', '/account'],
      ['GET', '/urls'],
      ['POST', '/urls'],
      ['DELETE', '/urls/a'],
      ['GET', '/tags'],
      ['GET', '/nope'],
    ] as const) {
      const answer = await client.call(method, path);
      expect([answer.status, answer.body]).toEqual([403, { error: { code: 1217, message: 'Access Denied' } }]);
    }
  });

  test('FIELD-NOTES 19: so does an expired one, from that second on', async ({ start, world }) => {
    const client = await start({ account: { expirationDate: '2024-05-15 12:00:01' } });
    expect((await client.call('GET', '/account')).body.error.code).toBe(0);
    world.time = noon + 1000;
    expect((await client.call('GET', '/account')).body.error.code).toBe(1217);
  });

  test.for([
    ['a wrong key', authorization('ada', 'wrong'), 1300],
    ['an empty key', authorization('ada', ''), 1300],
    ['a wrong name', authorization('eve'), 1102],
    ['a wrong name and key', authorization('eve', 'wrong'), 1102],
    ['no credentials', '', 1102],
    ['another scheme', 'Bearer f3a9c1d2e4b5061728394a5b6c7d8e9f', 1102],
    ['base64 of nothing', 'Basic !!!', 1102],
    ['no colon', `Basic ${btoa('ada')}`, 1102],
  ] as const)('5.3: %s is HTTP 400 with its code, and counts as no call', async ([, header, code], { client }) => {
    const answer = await client.call('GET', '/account', undefined, { authorization: header });
    const message = code === 1300 ? 'Invalid API key' : 'Invalid username';
    expect([answer.status, answer.body]).toEqual([400, { error: { code, message } }]);
    expect((await client.call('GET', '/account')).body.account.counters.today_api_calls?.count).toBe(1);
  });

  test('section 5, 5.1: the scheme is Basic in any case, and a key may hold colons', async ({ start }) => {
    const client = await start({ apiKey: 'a:b:ö' });
    const header = authorization('ada', 'a:b:ö').replace('Basic', 'bAsIc');
    expect((await client.call('GET', '/account', undefined, { authorization: header })).status).toBe(200);
  });

  test('section 8: 1303 once the calls of a day are used up, and again from midnight UTC', async ({ start, world }) => {
    const client = await start({ limits: { maxCallsPerDay: 2 } });
    await client.call('GET', '/tags');
    await client.call('GET', '/nope');
    const refused = await client.call('POST', '/urls', { urls: [{ long_url: url }] });
    expect([refused.status, refused.body]).toEqual([403, { error: { code: 1303, message: 'API call limit reached' } }]);
    world.time = Date.UTC(2024, 4, 15, 23, 59, 59, 999);
    expect((await client.call('GET', '/account')).body.error.code).toBe(1303);
    world.time += 1;
    expect((await client.call('GET', '/account')).body.account.counters.today_api_calls?.count).toBe(1);
  });

  test('another username on the same data is another account', async ({ start, folder }) => {
    const ada = await start({ data: folder });
    await ada.shorten({ long_url: url, custom_hash: 'hers', tags: ['t'] });
    const eve = await start({ data: folder, username: 'eve' });
    const headers = { authorization: authorization('eve') };
    for (const path of ['/urls', '/urls?tags=~nosuch', '/urls?tags=%3E2000-01-01', '/urls?search=e&order_by=clicks']) {
      expect((await eve.call('GET', path, undefined, headers)).body.page.total_count).toBe(0);
    }
    expect((await eve.call('GET', '/tags', undefined, headers)).body.tags).toEqual([]);
    expect((await eve.call('DELETE', '/urls?tags=~nosuch', undefined, headers)).body.error.code).toBe(0);
    expect(await ada.hashes()).toEqual(['hers']);
  });
});

describe('edition A', () => {
  test("2.7: writes appear in GET /log, most recent first, with the document's members", async ({ client, world }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    world.time += 1000;
    await client.call('PATCH', '/urls/abc', { urls: [{ note: 'x', tags: ['+t'] }] });
    await client.call('PATCH', '/urls?tags=t', { urls: [{ note: 'y' }] });
    await client.call('POST', '/tags', { label: 'u' });
    await client.call('PATCH', '/tags/u', { label: 'v' });
    await client.call('DELETE', '/tags/v');
    await client.call('DELETE', '/stats/abc');
    await client.call('DELETE', '/urls/abc');
    const { body } = await client.call('GET', '/log');
    expect(body.log.map((entry) => entry.message)).toEqual([
      '1 URL deleted',
      'Stats of 1 URL reset',
      'Tag "v" deleted',
      'Tag "u" renamed to "v"',
      'Tag "u" added',
      '1 URL edited by tags',
      '1 URL edited',
      '1 URL created',
    ]);
    expect(body.log.at(-1)).toEqual({
      message: '1 URL created',
      time: '2024-05-15 12:00:00',
      type: 'notification',
      satellite_username: null,
      links: { object_url: 'http://localhost/abc', help_url: null },
    });
    expect(body).toMatchObject({ version: '3.1', page: { results_count: 8, total_count: 8, offset: 0 } });
    expect(body.links).toEqual({ rss_url: '', atom_url: '' });
    const part = await client.call('GET', '/log?offset=6&limit=1');
    expect(part.body.page).toEqual({ results_count: 1, total_count: 8, offset: 6 });
    expect(part.body.log[0]?.message).toBe('1 URL edited');
  });

  test('2.7: what changes nothing leaves no entry', async ({ client }) => {
    await client.shorten({ long_url: 'nonsense' });
    await client.call('DELETE', '/urls/nosuch');
    await client.call('DELETE', '/urls?tags=nosuch');
    await client.call('PATCH', '/urls/nosuch', { urls: [{ note: 'x' }] });
    await client.call('GET', '/urls');
    expect((await client.call('GET', '/log')).body.log).toEqual([]);
  });

  test('section 8: entries older than 30 days are gone', async ({ client, world }) => {
    await client.shorten({ long_url: url });
    world.time = noon + 30 * day;
    expect((await client.call('GET', '/log')).body.page.total_count).toBe(1);
    world.time += 1;
    expect((await client.call('GET', '/log')).body).toMatchObject({ log: [], page: { total_count: 0 } });
    await client.shorten({ long_url: url });
    world.time = noon;
    expect((await client.call('GET', '/log')).body.page.total_count).toBe(1);
  });
});
