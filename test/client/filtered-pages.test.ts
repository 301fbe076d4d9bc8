import { expect, test } from 'vitest';
import { filteredPages } from '../../src/client/filtered-pages.ts';
import type { ListSelection } from '../../src/client/pages.ts';
import type { LinkKey } from '../../src/contract/link.ts';
import { answer, rig } from './client-fixture.ts';

const even = { matches: ({ hash }: { readonly hash: string }) => Number(hash.slice(1)) % 2 === 0 };

const page = (from: number, count: number, total: number, domain = 'b.ex') =>
  answer({
    urls: Array.from({ length: count }, (_, index) => ({ hash: `h${from + index}`, short_url: `${domain}/h${from + index}` })),
    page: { results_count: count, total_count: total, offset: from },
  });

async function linksOf(
  edition: 'a' | 'b',
  selection: ListSelection,
  pages: Parameters<typeof rig>[0],
): Promise<{ links: LinkKey[]; read: number; matched: number }> {
  const { client } = await rig(pages, { edition });
  const links: LinkKey[] = [];
  let [read, matched] = [0, 0];
  for await (const next of filteredPages(client, [selection], even)) {
    links.push(...next.rows.map(next.linkOf));
    ({ read, matched } = next);
  }
  return { links, read, matched };
}

test('F2: the links of all pages that match, and how many were read', async () => {
  expect(await linksOf('a', { domain: 'a.ex' }, [page(0, 4, 7), page(4, 3, 7)])).toEqual({
    links: ['h0', 'h2', 'h4', 'h6'].map((hash) => ({ hash, domain: 'a.ex' })),
    read: 7,
    matched: 4,
  });
});

test('F5: links of a tag expression are on the domain that each one says, in ASCII', async () => {
  const { links } = await linksOf('a', { tags: 'x' }, [page(0, 3, 5), page(3, 2, 5, 'Bücher.ex:8080')]);
  expect(links).toEqual([
    { hash: 'h0', domain: 'b.ex' },
    { hash: 'h2', domain: 'b.ex' },
    { hash: 'h4', domain: 'xn--bcher-kva.ex:8080' },
  ]);
});

test('F5: a link of a tag expression that does not say its domain is none that can be named', async () => {
  const urls = [{ hash: 'h0' }];
  await expect(linksOf('a', { tags: 'x' }, [answer({ urls, page: { total_count: 1 } })])).rejects.toThrow(
    'the server lists "h0" without its domain',
  );
});

test('4.1.7: on edition B a link has no domain', async () => {
  expect((await linksOf('b', { tags: 'x' }, [page(0, 2, 2)])).links).toEqual([{ hash: 'h0' }]);
});
