import { expect } from 'vitest';
import { inBothEditions } from './running-service.ts';

inBothEditions((test) => {
  test('4.2: POST /tags creates a tag only if it does not exist, without regard to case', async ({ client }) => {
    expect((await client.call('POST', '/tags', { label: 'News' })).body.tags).toEqual([{ label: 'News' }]);
    expect((await client.call('POST', '/tags', { label: 'NEWS' })).body.tags).toEqual([{ label: 'News' }]);
    expect((await client.call('GET', '/tags')).body.tags).toEqual([{ label: 'News' }]);
  });

  test('4.2: GET /tags lists the tags of links too, ordered without regard to case', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/', tags: ['b', 'C'] });
    await client.call('POST', '/tags', { label: 'a' });
    expect((await client.call('GET', '/tags')).body.tags.map((tag) => tag.label)).toEqual(['a', 'b', 'C']);
  });

  test('4.2: a renamed tag keeps its links; a label of another tag is 1311, the own one in other case is not', async ({
    client,
  }) => {
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc', tags: ['old', 'other'] });
    expect((await client.call('PATCH', '/tags/OLD', { label: 'new/100%' })).body.tags).toEqual([{ label: 'new/100%' }]);
    expect(await client.hashes('?tags=new/100%25')).toEqual(['abc']);
    const encoded = `/tags/${encodeURIComponent('new/100%')}`;
    expect((await client.call('PATCH', encoded, { label: 'Other' })).body.error.code).toBe(1311);
    expect((await client.call('PATCH', '/tags/other', { label: 'OTHER' })).body.tags).toEqual([{ label: 'OTHER' }]);
    expect((await client.call('GET', '/urls/abc')).body.urls[0]?.tags).toEqual(['new/100%', 'OTHER']);
  });

  test('4.2: a deleted tag is gone from its links; an unknown one is 1309', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc', tags: ['one', 'two'] });
    expect((await client.call('DELETE', '/tags/ONE')).body).toEqual({ error: { code: 0, message: '' }, version: '3.1' });
    expect((await client.call('GET', '/urls/abc')).body.urls[0]?.tags).toEqual(['two']);
    expect((await client.call('DELETE', '/tags/one')).body.error.code).toBe(1309);
  });
});
