import { describe, expect } from 'vitest';
import type { UrlRecord } from '../../src/contract/records.ts';
import type { FaultyServer } from '../support/faulty-server.ts';
import { sent, sure, test } from '../support/linkctl.ts';
import { numbered, seed, store, stored } from '../support/stored-links.ts';
import { openTerminal } from '../support/terminal.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
const typed = (stdin: string) => ({ ...watched, stdin });

async function changes(wire: FaultyServer): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'));
}

interface Selected {
  readonly words: readonly string[];
  readonly stdin?: string;
  /** Whether a link is one of those that the words select. */
  isMeant(link: UrlRecord, isDefault: boolean): boolean;
  readonly only?: 'a';
}

const has = (label: string) => (link: UrlRecord) => link.tags.includes(label);
const named = ['null', 'hash', 'old10', 'old11', 'old15'];

const selections: { readonly [name: string]: Selected } = {
  '--by-tags, on every domain': { words: ['--by-tags', 'promo'], isMeant: has('promo') },
  '--by-tags and a filter': {
    words: ['--by-tags', 'promo', '--filter', 'note~note'],
    isMeant: (link) => has('promo')(link) && link.note !== '',
  },
  '--search': { words: ['--search', 'old10'], isMeant: ({ hash }, isDefault) => isDefault && hash.includes('old10') },
  '--all and two filters': {
    words: ['--all', '--filter', 'hash^=old9', '--filter', 'tags=promo'],
    isMeant: (link, isDefault) => isDefault && link.hash.startsWith('old9') && has('promo')(link),
  },
  'hashes and a filter': {
    words: [...named, '--filter', 'tags=promo'],
    isMeant: (link, isDefault) => isDefault && named.includes(link.hash) && has('promo')(link),
  },
  '--hashes-from and a filter': {
    words: ['--hashes-from', '-', '--filter', 'note~note'],
    stdin: 'DOMAIN/old8\nDOMAIN/hash\nDOMAIN/old9\nDOMAIN/old12\n',
    isMeant: ({ hash }, isDefault) => isDefault && ['hash', 'old9', 'old12'].includes(hash),
  },
  '--all-domains': {
    words: ['--all', '--all-domains', '--filter', 'hash=hash'],
    isMeant: ({ hash }) => hash === 'hash',
    only: 'a',
  },
  '--domain': {
    words: ['--all', '--domain', 'b.example', '--filter', 'hash^=old100'],
    isMeant: ({ hash }, isDefault) => !isDefault && hash.startsWith('old100'),
    only: 'a',
  },
};

/** More than a page holds where all are listed; which links are meant does not depend on it. */
const counts = (name: string): number => (name.startsWith('--all') ? 1100 : 120);

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  const domains = edition === 'a' ? ['a.example', 'b.example'] : [undefined];
  test.override({ edition, domains: edition === 'a' ? [{ name: 'a.example' }, { name: 'b.example' }] : undefined });

  test.for(Object.entries(selections).filter(([, { only = edition }]) => only === edition))(
    'F1: of many links on each domain %s changes those, and no namesake',
    async ([name, { words, stdin = '', isMeant }], { linkctl, service }) => {
      await seed(service, counts(name), domains);
      const textsOf = async (isOne: Selected['isMeant']): Promise<string[]> => {
        const listings = await Promise.all(domains.map(async (domain) => await stored(service, domain)));
        return listings.flatMap((links, nth) =>
          links.filter((link) => isOne(link, nth === 0)).map(({ short_url }) => `${short_url}`),
        );
      };
      const wanted = await textsOf(isMeant);
      expect(wanted).not.toEqual([]);
      const input = stdin.replaceAll('DOMAIN/', edition === 'a' ? 'a.example/' : '');
      const ran = await linkctl(['edit', ...words, '--note', 'done', '--add-tag', 'new', ...sure, '-q'], { stdin: input });
      expect(await textsOf(({ note }) => note === 'done')).toEqual(wanted);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout.trimEnd().split('\n')).toHaveLength(wanted.length);
    },
  );

  test('B57: a filter is no selection, a script needs --yes and --max-affected, and too many are none', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(3, { tags: ['t'] }));
    for (const command of [['delete'], ['edit', '--note', 'n'], ['stats', '--reset']]) {
      for (const [words, message] of [
        [['--filter', 'total_clicks=0', ...sure], '--filter narrows a selection: for all links add --all'],
        [['--all', '--yes'], '--max-affected required with --all when not running interactively'],
        [['--search', 'h', '--yes'], '--max-affected required with --search'],
        [['--by-tags', 't', '--max-affected', '3'], '--yes required'],
        [['--by-tags', 't', '--domain', 'localhost'], edition === 'a' ? '--domain or --by-tags' : 'has one domain'],
        [['--all', '--by-tags', 't', ...sure], 'specify only one of --by-tags or --all'],
        [['h0', '--all-domains', ...sure], edition === 'a' ? '--all-domains or <hash>...' : 'has one domain'],
        [['--by-tags', 't', '--all-domains', '--no-undo', ...sure], edition === 'a' ? 'or --by-tags' : 'has one domain'],
      ] as const) {
        const ran = await linkctl([...command, ...words]);
        expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
      }
      expect((await linkctl([...command, '--all', '--yes', '--max-affected', '2'])).stderr).toContain(
        'error: 3 links would be affected, more than --max-affected 2; nothing was changed\n',
      );
    }
    expect(await changes(wire)).toEqual([]);
  });

  test('B59, B43: a no is exit 1, nothing to do is exit 0 and said, and what was named and is not there is exit 3 or 5', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(3, { tags: ['t'] }));
    for (const words of [['--all'], ['--search', 'h'], ['--by-tags', 't'], ['h0', 'h1', '--filter', 'tags=t']]) {
      const ran = await linkctl(['delete', ...words], typed('n\n'));
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('aborted: nothing was changed') });
    }
    for (const words of [
      ['--all', '--filter', 'total_clicks>0'],
      ['--search', 'zzz'],
      ['--by-tags', 'none'],
    ]) {
      const ran = await linkctl(['delete', ...words, ...sure]);
      expect(ran).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/: nothing to change$/m) });
    }
    expect(await changes(wire)).toEqual([]);
    const some = await linkctl(['delete', 'h0', 'gone', 'h1', '--filter', 'hash=h0', ...sure]);
    expect(some).toMatchObject({ code: 3, stdout: 'h0\n', stderr: expect.stringContaining('no short URL "gone"') });
    const none = ['delete', 'gone', '--filter', 'hash=h0', ...sure];
    expect(await linkctl(none)).toMatchObject({ code: 5, stdout: '' });
    expect(await linkctl([...none, '--ignore-missing'])).toMatchObject({ code: 0, stdout: '' });
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h1', 'h2']);
  });

  test('F1: with --no-undo the API makes the changes that it can make, and all others go by hash', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2, { tags: ['t'] }));
    const edit = async (...words: string[]): Promise<string[]> => {
      const before = (await changes(wire)).length;
      expect((await linkctl(['edit', '--by-tags', 't', ...words, ...sure])).code).toBe(0);
      return (await changes(wire)).slice(before);
    };
    expect(await edit('--note', 'n', '--no-undo')).toEqual(['PATCH /urls?tags=t']);
    const byHash = [expect.stringMatching(/^PATCH \/urls(\?domain=a\.example)?$/)];
    expect(await edit('--note', 'm')).toEqual(byHash);
    expect(await edit('--note', 'o', '--add-tag', 'x', '--no-undo')).toEqual(byHash);
    expect(await edit('--url', 'https://example.com/same', '--no-undo')).toEqual(byHash);
    expect(await edit('--note', 'p', '--no-undo', '--filter', 'hash=h1')).toEqual(byHash);
    expect((await stored(service)).map(({ note, tags, long_url }) => [note, tags.toSorted(), long_url])).toEqual([
      ['o', ['t', 'x'], 'https://example.com/same'],
      ['p', ['t', 'x'], 'https://example.com/same'],
    ]);
  });

  test('F1: a link that is labelled after the listing is not hit', async ({ linkctl, wire, service }) => {
    await store(service, numbered(4, { tags: ['t'] }));
    await wire.script([{ only: { method: 'DELETE' }, held: true }]);
    const running = linkctl(['delete', '--by-tags', 't', '--batch-size', '2', '--concurrency', '1', ...sure]);
    await wire.held();
    await store(service, [{ custom_hash: 'late', long_url: 'https://example.com/', tags: ['t'] }]);
    await wire.release();
    expect(await running).toMatchObject({ code: 0, stdout: 'h3\nh2\nh1\nh0\n' });
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['late']);
  });

  test('D13: a total that is too low ends no listing of a change', async ({ linkctl, wire, service }) => {
    await store(service, numbered(9, { tags: ['t'] }));
    const all = (await stored(service)).toReversed();
    const page = { body: { error: { code: 0, message: '' }, urls: all.slice(0, 4), page: { total_count: 4 } } };
    await wire.script([{ only: { method: 'GET', path: 'tags=t' }, apply: false, answer: page }]);
    expect((await linkctl(['delete', '--by-tags', 't', ...sure])).stdout.trimEnd().split('\n')).toHaveLength(9);
    expect(await stored(service)).toEqual([]);
  });

  test('R-17: links that move while they are listed are changed all the same', async ({ linkctl, wire, service }) => {
    await store(service, numbered(90, { tags: ['t'] }));
    await wire.behave({ pageCap: 30 });
    await wire.script([{ only: { method: 'GET', path: 'offset=30' }, held: true }]);
    const running = linkctl(['edit', '--by-tags', 't', '--note', 'n', ...sure, '-q']);
    await wire.held();
    await store(
      service,
      numbered(3, { tags: ['t'] }).map((link) => ({ ...link, custom_hash: `new${link.custom_hash}` })),
    );
    await wire.release();
    expect((await running).code).toBe(0);
    const links = await stored(service);
    expect(links.filter(({ note }) => note === 'n').map(({ hash }) => hash)).toEqual(
      numbered(90).map((link) => link.custom_hash),
    );
  });
});

describe('several domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('F6: what is not covered is said before the question', async ({ linkctl, service }) => {
    await store(service, numbered(2), 'a.example');
    const { stderr } = await linkctl(['delete', '--all'], typed('n\n'));
    expect(stderr).toMatch(/^Covers only a\.example, not b\.example\. .*\n2 links would be deleted\n(.*\n)+Delete 2 links of/);
  });

  test('F5: a server that lists another domain, or names none, has no namesake changed', async ({ linkctl, wire, service }) => {
    await store(service, numbered(1, { tags: ['t'] }), 'a.example');
    await store(service, numbered(1, { tags: ['t'] }), 'b.example');
    const answer = (link: object) => ({
      body: { error: { code: 0, message: '' }, urls: [{ ...link, hash: 'h0', long_url: 'https://x.example/', tags: ['t'] }] },
    });
    for (const [words, link, message] of [
      [['--all'], { short_url: 'b.example/h0' }, 'the server lists links of b.example where those of a.example were requested'],
      [['--all', '--domain', 'b.example'], { short_url: 'a.example/h0' }, 'links of a.example where those of b.example'],
      [['--by-tags', 't'], {}, 'the server lists "h0" without its domain'],
    ] as const) {
      await wire.script([{ only: { method: 'GET', path: '/urls?' }, apply: false, answer: answer(link) }]);
      const ran = await linkctl(['delete', ...words, ...sure]);
      expect(ran).toMatchObject({ code: 8, stdout: '', stderr: expect.stringContaining(message) });
    }
    expect(await changes(wire)).toEqual([]);
  });
});

test('B41: Ctrl-C at the question changes nothing', async ({ env, wire, service }) => {
  await store(service, numbered(3, { tags: ['t'] }));
  const terminal = openTerminal(['delete', '--by-tags', 't'], { env });
  try {
    await terminal.sees('Type 3 to continue');
    terminal.type('\u0003');
    expect(await terminal.ended()).toMatchObject({ signal: 'SIGINT' });
  } finally {
    terminal.close();
  }
  expect(await changes(wire)).toEqual([]);
});
