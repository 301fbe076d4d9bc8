import { describe, expect } from 'vitest';
import { inBothEditions, test } from './running-service.ts';

const url = 'https://example.com/';

inBothEditions((test, edition) => {
  test('4.3.7: a single edit sets every field, and the answer has the record and no page', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc', tags: ['Old', 'keep'] });
    const { body } = await client.call('PATCH', '/urls/abc', {
      urls: [
        {
          custom_hash: 'xyz',
          long_url: 'https://example.org/new',
          note: 'noted',
          email_stats: true,
          expiration_date: '2030-12-31',
          tags: ['+new', '-old', '-nosuch', '+KEEP'],
        },
      ],
    });
    expect(body.urls).toHaveLength(1);
    expect(body.urls[0]).toMatchObject({
      hash: 'xyz',
      long_url: 'https://example.org/new',
      note: 'noted',
      email_stats: true,
      expiration_date: '2030-12-31',
      tags: ['keep', 'new'],
      error: { code: 0, message: '' },
    });
    expect(body).not.toHaveProperty('page');
    expect(await client.hashes()).toEqual(['xyz']);
  });

  test('4.3.7: what an edit does not name stays; null takes the expiry away; empty text empties the note', async ({ client }) => {
    await client.shorten({
      long_url: url,
      custom_hash: 'abc',
      note: 'n',
      expiration_date: '2030-01-01',
      email_stats: true,
      tags: ['t'],
    });
    const same = await client.call('PATCH', '/urls/abc', { urls: [{ custom_hash: '' }] });
    expect(same.body.urls[0]).toMatchObject({
      hash: 'abc',
      note: 'n',
      expiration_date: '2030-01-01',
      email_stats: true,
      tags: ['t'],
    });
    const cleared = await client.call('PATCH', '/urls/abc', { urls: [{ note: '', expiration_date: null, email_stats: false }] });
    expect(cleared.body.urls[0]).toMatchObject({ note: '', expiration_date: null, email_stats: false, tags: ['t'] });
  });

  test('4.3.7: the same fields for many, one answer each in the order of hashes', async ({ client }) => {
    await client.shorten(...['a', 'b', 'c'].map((hash) => ({ long_url: url, custom_hash: hash })));
    const { body } = await client.call('PATCH', '/urls?hashes=c,a', { urls: [{ note: 'both', tags: ['+t'] }] });
    expect(body.urls.map((item) => [item.hash, item.note, item.tags])).toEqual([
      ['c', 'both', ['t']],
      ['a', 'both', ['t']],
    ]);
    expect((await client.call('GET', '/urls/b')).body.urls[0]?.note).toBe('');
  });

  test('4.3.7: one new hash for several URLs is 1307, for one of them it renames', async ({ client }) => {
    await client.shorten(...['a', 'b'].map((hash) => ({ long_url: url, custom_hash: hash })));
    expect((await client.call('PATCH', '/urls?hashes=a,b', { urls: [{ custom_hash: 'x' }] })).body.error.code).toBe(1307);
    expect((await client.call('PATCH', '/urls?hashes=a', { urls: [{ custom_hash: 'x' }] })).body.urls[0]?.hash).toBe('x');
    expect((await client.call('PATCH', '/urls?hashes=b', { urls: [{ note: '1' }, { note: '2' }] })).body.error.code).toBe(1307);
  });

  test('4.3.7: arbitrary many, each with its own fields; a rename is seen by the items after it', async ({ client }) => {
    await client.shorten(...['a', 'b'].map((hash) => ({ long_url: url, custom_hash: hash })));
    const { body } = await client.call('PATCH', '/urls', {
      urls: [
        { hash: 'a', custom_hash: 'free' },
        { hash: 'b', custom_hash: 'a' },
        { hash: 'a', note: 'was b' },
      ],
    });
    expect(body.urls.map((item) => [item.hash, item.note])).toEqual([
      ['free', ''],
      ['a', ''],
      ['a', 'was b'],
    ]);
  });

  test('FIELD-NOTES 6, 9: failed edits name hash, code and message, and leave the others alone', async ({ client }) => {
    await client.shorten(...['a', 'b'].map((hash) => ({ long_url: url, custom_hash: hash })));
    const { status, body } = await client.call('PATCH', '/urls', {
      urls: [
        { hash: 'nosuch', note: 'x' },
        { hash: 'a', custom_hash: 'b' },
        { hash: 'a', long_url: 'nonsense' },
        { hash: 'a', expiration_date: '2024-02-30' },
        { hash: 'a', tags: ['unsigned'] },
        { note: 'no hash' },
        { hash: 'b', note: 'fine' },
      ],
    });
    expect([status, body.error.code]).toEqual([200, 0]);
    expect(body.urls[0]).toMatchObject({ hash: 'nosuch', error: { code: 1306, message: 'URL not found in DB' } });
    expect(body.urls.map((item) => item.error?.code)).toEqual([1306, 1215, 1206, 1312, 1311, 1305, 0]);
  });

  test('FIELD-NOTES 9: a single edit of an unknown hash fails as an item under code 0', async ({ client }) => {
    const { status, body } = await client.call('PATCH', '/urls/nosuch', { urls: [{ note: 'x' }] });
    expect([status, body.error.code]).toEqual([200, 0]);
    expect(body.urls).toMatchObject([{ hash: 'nosuch', error: { code: 1306, message: 'URL not found in DB' } }]);
  });

  test('4.3.8: an edit by tags sets the four fields and returns no URLs', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'in', tags: ['t'] }, { long_url: url, custom_hash: 'out' });
    const fields = { note: 'n', expiration_date: '2030-01-01', email_stats: true, max_clicks: 9 };
    const { body } = await client.call('PATCH', '/urls?tags=t', { urls: [fields] });
    expect(body).toEqual({ error: { code: 0, message: '' }, version: '3.1' });
    const { max_clicks, ...shared } = fields;
    expect((await client.call('GET', '/urls/in')).body.urls[0]).toMatchObject(
      edition === 'a' ? { ...shared, max_clicks } : shared,
    );
    expect((await client.call('GET', '/urls/out')).body.urls[0]).toMatchObject({
      note: '',
      expiration_date: null,
      email_stats: false,
    });
    await client.call('PATCH', '/urls?tags=~nosuch', { urls: [{ expiration_date: null }] });
    expect((await client.call('GET', '/urls/in')).body.urls[0]).toMatchObject({ note: 'n', expiration_date: null });
  });

  test.for([{ long_url: url }, { custom_hash: 'x' }, { tags: ['+x'] }])(
    '4.3.8: %j cannot be edited by tags',
    async (field, { client }) => {
      await client.shorten({ long_url: url, custom_hash: 'in', tags: ['t'] });
      const { body } = await client.call('PATCH', '/urls?tags=t', { urls: [{ note: 'n', ...field }] });
      expect(body.error.code).toBe(1307);
      expect((await client.call('GET', '/urls/in')).body.urls[0]).toMatchObject({ hash: 'in', note: '' });
    },
  );
});

describe('edition A', () => {
  test('FIELD-NOTES 16: max_clicks can be edited', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc', max_clicks: 3 });
    const { body } = await client.call('PATCH', '/urls/abc', { urls: [{ max_clicks: 5 }] });
    expect(body.urls[0]?.max_clicks).toBe(5);
  });
});
