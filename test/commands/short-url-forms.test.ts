import { request } from 'node:http';
import { describe, expect } from 'vitest';
import { type Item, itemHabits } from '../support/habits.ts';
import { test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const forms: readonly (readonly [form: string, shown: (link: Item) => Item])[] = [
  ['writes the scheme in short_url', (link) => ({ ...link, short_url: link.short_url_with_protocol })],
  ['has no short_url without a scheme', ({ short_url: _, ...link }) => link],
  ['writes null as short_url', (link) => ({ ...link, short_url: null })],
  [
    'has no other short URL than one with a scheme',
    ({ short_url_with_protocol: whole, ...link }) => ({ ...link, short_url: whole }),
  ],
];
const both = ['a.example', 'b.example'];

/** Fetch does not let the header of a host be set. */
async function visitOn(host: string, { origin }: { origin: string }, hash: string): Promise<void> {
  await new Promise((resolve, reject) => {
    request(`${origin}/${hash}`, { headers: { host } }, (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}

describe.each(forms)('a server of two domains that %s', (_, change) => {
  const shown = (link: Item): Item => (link.short_url === undefined ? link : change(link));
  test.override({ domains: both.map((name) => ({ name })), habits: itemHabits({ shown }) });

  test('4.1.7: links of labels are changed each on its domain, and merged', async ({ linkctl, service }) => {
    for (const domain of both) await store(service, numbered(2, { tags: ['old'] }), domain);
    expect(await linkctl(['edit', '--by-tags', 'old', '--note', 'x', '--yes', '--max-affected', '9'])).toMatchObject({ code: 0 });
    expect(await linkctl(['tags', 'merge', 'old', '--into', 'new', '--yes', '--max-affected', '9'])).toMatchObject({ code: 0 });
    for (const domain of both) {
      expect(await stored(service, domain)).toMatchObject(Array(2).fill({ note: 'x', tags: ['new'] }));
    }
  });

  test('F2, F5: a filter of the domain finds its links, and their short URLs are names for another command', async ({
    linkctl,
    service,
  }) => {
    for (const domain of both) await store(service, numbered(2), domain);
    const words = ['list', '--all', '--all-domains', '--filter', 'domain=b.example', '--fields', 'short_url'];
    const { stdout } = await linkctl(words);
    expect(stdout).toBe('b.example/h1\nb.example/h0\n');
    expect(await linkctl(['delete', '--hashes-from', '-', '--yes'], { stdin: stdout })).toMatchObject({ code: 0 });
    expect(await stored(service, 'a.example')).toHaveLength(2);
    expect(await stored(service, 'b.example')).toEqual([]);
  });

  test('B26: a new link is printed with the scheme that the server wrote', async ({ linkctl }) => {
    const made = await linkctl(['shorten', 'https://example.com/', '--hash', 'own', '--domain', 'b.example']);
    expect(made).toMatchObject({ code: 0, stdout: 'http://b.example/own\n' });
  });

  test('H6: clicks of namesakes count for each', async ({ linkctl, service }) => {
    for (const domain of both) await store(service, numbered(1), domain);
    const begin = Date.UTC(2126, 2, 2, 14);
    const on = (days: number) => ({ now: () => begin + days * 86_400_000 });
    const record = ['stats', '--record', '--all-domains'];
    expect(await linkctl(record, on(0))).toMatchObject({ code: 0 });
    for (const host of ['a.example', 'b.example', 'b.example']) await visitOn(host, service, 'h0');
    expect(await linkctl(record, on(1))).toMatchObject({ code: 0 });
    const words = ['stats', '--since', '1d', '--all-domains', '--by', 'link', '--fields', 'short_url,clicks'];
    expect((await linkctl(words, on(1))).stdout.split('\n').sort()).toEqual(['', 'a.example/h0\t1', 'b.example/h0\t2']);
  });
});
