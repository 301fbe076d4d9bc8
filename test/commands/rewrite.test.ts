import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, runnerIn, sent, sure, test } from '../support/linkctl.ts';
import { numbered, oddHashes, store, stored } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };

/** Links by hash, as the service has them. */
async function destinations(service: Parameters<typeof stored>[0], domain?: string): Promise<Record<string, string>> {
  return Object.fromEntries((await stored(service, domain)).map(({ hash, long_url }) => [hash, long_url]));
}

interface Edit {
  readonly hash: string;
  readonly long_url: string;
}

/** The edits of each change that was sent, after its address. */
async function edits(wire: FaultyServer): Promise<{ call: string; urls: readonly Edit[] }[]> {
  return (await sent(wire))
    .filter(({ call }) => !call.startsWith('GET'))
    .map(({ call, body }) => ({ call, urls: (body as { urls: Edit[] }).urls }));
}

const shop = [
  { custom_hash: 'hash', long_url: 'https://old.example/shop/1?q=%7e#Top', tags: ['promo'], note: 'keep' },
  { custom_hash: 'null', long_url: 'HTTPS://OLD.example:443/shop', tags: ['promo'] },
  { custom_hash: 'h2', long_url: 'https://old.example/shopping', tags: ['promo'] },
  { custom_hash: 'h3', long_url: 'https://b.example/?u=https://old.example/shop/1' },
  { custom_hash: 'h4', long_url: 'https://old.example.evil/shop/1' },
  { custom_hash: 'h5', long_url: 'https://old.example/shop?x' },
  { custom_hash: 'h6', long_url: 'http://old.example/shop' },
];
const shopBefore = Object.fromEntries(shop.map(({ custom_hash, long_url }) => [custom_hash, long_url]));
const shopWords = ['rewrite', 'https://old.example/shop', 'https://new.example/store', '--max-affected', '9999', '--yes'];
const shopAfter = {
  hash: 'https://new.example/store/1?q=%7e#Top',
  null: 'https://new.example/store',
  h5: 'https://new.example/store?x',
};

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('W1: what begins with <from> leads to <to>, and nothing else is sent', async ({ linkctl, wire, service }) => {
    await store(service, shop);
    const ran = await linkctl(shopWords);
    expect(ran).toMatchObject({ code: 0, stdout: 'h5\nnull\nhash\n' });
    expect(ran.stderr).toContain('3 of 7 links would be changed');
    expect(ran.stderr).toContain('3 links: 3 changed');
    expect(await destinations(service)).toEqual({ ...shopBefore, ...shopAfter });
    expect((await edits(wire)).map(({ urls }) => urls)).toEqual([
      ['h5', 'null', 'hash'].map((hash) => ({ hash, long_url: shopAfter[hash as keyof typeof shopAfter] })),
    ]);
    expect((await stored(service))[0]).toMatchObject({ note: 'keep', tags: ['promo'] });
  });

  test.for([
    [
      ['--by-tags', 'promo'],
      ['hash', 'null'],
    ],
    [['--search', 'shop?x'], ['h5']],
    [['--all', '--filter', 'path^=/shop/'], ['hash']],
    [['--filter', 'note=keep', '--filter', 'tags=promo'], ['hash']],
    [
      ['--hashes-from', '-'],
      ['null', 'h5'],
    ],
  ] as const)('F1, F2: %j narrows a rewrite', async ([selection, hashes], { linkctl, service }) => {
    await store(service, shop);
    const ran = await linkctl([...shopWords, ...selection], { stdin: 'null\nh4\nh5\n' });
    expect(ran.code).toBe(0);
    const changed = Object.fromEntries(hashes.map((hash) => [hash, shopAfter[hash]]));
    expect(await destinations(service)).toEqual({ ...shopBefore, ...changed });
  });

  test('I7, W1: rules beside <from> apply to the same links only', async ({ linkctl, service }) => {
    await store(service, shop);
    const ran = await linkctl([...shopWords, '--utm', 'source=mail', '--scheme', 'https', '--set-param', 'q=1']);
    expect(ran.code).toBe(0);
    expect(await destinations(service)).toEqual({
      ...shopBefore,
      hash: 'https://new.example/store/1?q=1&utm_source=mail#Top',
      null: 'https://new.example/store?q=1&utm_source=mail',
      h5: 'https://new.example/store?x&q=1&utm_source=mail',
    });
  });

  test('W1: a rule for any link takes a selection', async ({ linkctl, wire, service }) => {
    await store(service, shop);
    expect(await linkctl(['rewrite', '--scheme', 'https', '--all', ...sure])).toMatchObject({
      code: 0,
      stdout: 'h6\n',
    });
    expect(await destinations(service)).toEqual({ ...shopBefore, h6: 'https://old.example/shop' });
    const host = await linkctl(['rewrite', '--host', 'old.example.evil=good.example', ...sure]);
    expect(host).toMatchObject({ code: 0, stdout: 'h4\n' });
    expect(await edits(wire)).toHaveLength(2);
  });

  test('W2: what cannot be is refused by name, and the rest is changed: exit 3', async ({ linkctl, wire, service }) => {
    const long = `https://old.example/${'x'.repeat(2025)}`;
    await store(service, [...numbered(2), { custom_hash: 'long', long_url: long }]);
    const ran = await linkctl(['rewrite', '--set-param', 'campaign=spring', '--all', ...sure]);
    expect(ran).toMatchObject({ code: 3 });
    expect(ran.stderr).toMatch(/2 of 3 links would be changed, 1 refused/);
    expect(ran.stderr).toContain('the new URL is longer than 2048 characters');
    expect(ran.stderr).toMatch(/long\b.*the new URL is longer than 2048 characters/s);
    expect(ran.stderr).toContain('3 links: 2 changed, 1 failed');
    expect((await destinations(service)).long).toBe(long);
    expect((await edits(wire)).flatMap(({ urls }) => urls.map(({ hash }) => hash))).toEqual(['h1', 'h0']);
    // What is left is refused again, and nothing else.
    const again = await linkctl(['rewrite', '--set-param', 'campaign=spring', '--all', ...sure, '--again']);
    expect(again.code).toBe(3);
    expect(again.stderr).toContain('nothing was changed');
    expect(await edits(wire)).toHaveLength(1);
  });

  test('W1: where nothing begins so, nothing is sent, nor asked', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3));
    const ran = await linkctl(['rewrite', 'https://no.example', 'https://new.example'], watched);
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('nothing to change') });
    expect(ran.stderr).not.toContain('?');
    expect(await edits(wire)).toEqual([]);
  });

  test('B54: without --yes a script is refused before the first request', async ({ linkctl, wire, service }) => {
    await store(service, shop);
    const ran = await linkctl(shopWords.slice(0, -1));
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes required') });
    expect(await sent(wire)).toEqual([]);
  });

  test('B56, W2: the plan comes before the question; a no changes nothing', async ({ linkctl, wire, service }) => {
    await store(service, [
      ...shop,
      ...numbered(120).map(({ custom_hash, long_url }) => ({ custom_hash: `k${custom_hash}`, long_url })),
    ]);
    const few = await linkctl(shopWords.slice(0, -1), { ...watched, stdin: 'n\n' });
    expect(few.code).toBe(1);
    expect(few.stderr).toMatch(
      /3 of 127 links would be changed, .*new\.example\/store.*Rewrite 3 links of .*\? \[y\/N\] error: aborted/s,
    );
    expect(few.stderr).toContain('- https://old.example/shop?x\n');
    expect(few.stderr).toContain('+ https://new.example/store?x\n');
    const many = await linkctl(['rewrite', '--host', 'example.com=new.example'], { ...watched, stdin: 'y\n' });
    expect(many).toMatchObject({ code: 1, stderr: expect.stringMatching(/Rewrite 120 links of .* Type 120 to continue: /) });
    expect(await edits(wire)).toEqual([]);
    expect((await linkctl(['rewrite', '--host', 'example.com=new.example'], { ...watched, stdin: '120\n' })).code).toBe(0);
    expect((await destinations(service)).kh119).toBe('https://new.example/119');
  });

  test('B57: --max-affected stops a rewrite of more links', async ({ linkctl, wire, service }) => {
    await store(service, shop);
    expect((await linkctl([...shopWords, '--max-affected', '2'])).code).toBe(2);
    expect(await edits(wire)).toEqual([]);
    expect((await linkctl([...shopWords, '--max-affected', '3'])).code).toBe(0);
  });

  test('B57: a script says how many links a rewrite may change', async ({ linkctl, wire, service }) => {
    await store(service, shop);
    const words = shopWords.filter((word) => !/^(?:--max-affected|9999)$/.test(word));
    for (const more of [[], ['--all'], ['--search', 'shop'], ['--filter', 'clicks=0']]) {
      expect(await linkctl([...words, ...more])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('--max-affected required with rewrite'),
      });
    }
    expect(await sent(wire)).toEqual([]);
    const named = ['rewrite', '--scheme', 'https', '--hashes-from', '-', '--yes'];
    expect((await linkctl(named, { stdin: 'h6\n' })).code).toBe(0);
  });

  test('B60, W2: -n sends nothing; its csv is a file for edit -f with the old value', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, shop);
    const plan = await linkctl([...shopWords, '-n'], watched);
    expect(plan).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/^3 (of 7 )?links would be changed/) });
    const { code, stdout } = await linkctl([...shopWords, '-n', '-o', 'csv']);
    expect(code).toBe(0);
    const [head, first] = stdout.split('\n').map((line) => line.split(','));
    expect(head?.slice(0, 3)).toEqual(['hash', 'long_url', 'old_long_url']);
    expect(first?.slice(0, 3)).toEqual(['h5', 'https://new.example/store?x', 'https://old.example/shop?x']);
    expect(await edits(wire)).toEqual([]);
    const path = join(folder, 'edits.csv');
    writeFileSync(path, stdout);
    expect((await linkctl(['edit', '-f', path])).code).toBe(0);
    expect(await destinations(service)).toEqual({ ...shopBefore, ...shopAfter });
  });

  test('R 1.4, W1: a rewrite that was killed is resumed: every link is rewritten once', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    const links = numbered(50);
    await store(service, links);
    // What was rewritten begins with <from> again: done twice it would show.
    const words = ['rewrite', 'https://example.com', 'https://example.com/new', ...sure, '--batch-size', '10'];
    await wire.script([{ only: { method: 'PATCH' } }, { only: { method: 'PATCH' }, ...faults.silentAfter }]);
    const { process: child, ended } = startProgram([...words, '--concurrency', '1'], env);
    await arrived(wire, 2, 'PATCH');
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    await wire.script([]);
    const resumed = await linkctl([...words, '--concurrency', '1']);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('50 links: 50 changed') });
    const expected = links.map(({ custom_hash }, index) => [custom_hash, `https://example.com/new/${index}`]);
    expect(await destinations(service)).toEqual(Object.fromEntries(expected));
    for (const { urls } of await edits(wire)) expect(urls.length).toBeLessThanOrEqual(10);
  });

  test('F1, W2: what somebody else changed minutes after the listing is left alone, by name', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    await store(service, numbered(3));
    await wire.script([{ only: { method: 'GET', path: '/urls?' }, held: true }]);
    let later = 0;
    const elapsed = (): number => performance.now() + later;
    const running = linkctl(['rewrite', '--host', 'example.com=new.example', ...sure, '--search', 'example'], { elapsed });
    await wire.held();
    const elsewhere = runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl });
    expect((await elsewhere(['edit', 'h1', '--url', 'https://example.com/elsewhere'])).code).toBe(0);
    later = 6 * 60_000;
    await wire.release();
    const ran = await running;
    expect(ran).toMatchObject({ code: 3, stdout: 'h2\nh0\n' });
    expect(ran.stderr).toMatch(/h1: changed since it was listed: long_url/);
    expect(await destinations(service)).toEqual({
      h0: 'https://new.example/0',
      h1: 'https://example.com/elsewhere',
      h2: 'https://new.example/2',
    });
  });

  test('W1: the same rewrite again changes nothing, also where <to> begins with <from>', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3));
    const words = ['rewrite', 'https://example.com', 'https://example.com/new', ...sure];
    expect((await linkctl(words)).code).toBe(0);
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('nothing to change') });
    expect(await edits(wire)).toHaveLength(1);
    expect((await destinations(service)).h2).toBe('https://example.com/new/2');
  });

  test.for([
    [['https://old.example/shop', 'https://new.example/store', 'null', 'h2'], { null: shopAfter.null }],
    [['--host', 'old.example=new.example', 'h5', 'h6'], { h5: 'https://new.example/shop?x', h6: 'http://new.example/shop' }],
  ] as const)('F1, W1: rewrite %j changes no other links than those named', async ([words, after], { linkctl, service }) => {
    await store(service, shop);
    expect(await linkctl(['rewrite', ...words, 'nosuch', '--yes'])).toMatchObject({ code: 3 });
    expect(await destinations(service)).toEqual({ ...shopBefore, ...after });
  });

  test('W1: two short URLs beside other rules are not taken for <from> and <to>', async ({ linkctl, service, wire }) => {
    await store(service, shop);
    const [{ short_url_with_protocol = '' } = {}] = await stored(service);
    const words = ['rewrite', '--host', 'old.example=new.example', short_url_with_protocol];
    const ran = await linkctl([...words, `${short_url_with_protocol}x`, ...sure]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('" is a short URL\nhint: ') });
    expect(await edits(wire)).toEqual([]);
  });

  test('W1: no batch is larger than the bound, over several pages', async ({ linkctl, wire, service }) => {
    const links = numbered(1203).map((link, index) => (index % 2 ? link : { ...link, long_url: `https://old.example/${index}` }));
    await store(service, links);
    const ran = await linkctl(['rewrite', 'https://old.example', 'https://new.example', ...sure, '-q']);
    expect(ran.code).toBe(0);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(602);
    expect((await edits(wire)).map(({ urls }) => urls.length)).toEqual(edition === 'a' ? [602] : [500, 102]);
    const expected = links.map(({ custom_hash, long_url }) => [custom_hash, long_url.replace('old.example', 'new.example')]);
    expect(await destinations(service)).toEqual(Object.fromEntries(expected));
  });

  test.for([
    [[], "missing required argument 'from'"],
    [['https://a.example'], "missing required argument 'to'"],
    [['abc', 'https://a.example'], '<from>: "abc" is not an http or https URL'],
    [['https://a.example', 'b.example'], '<to>: "b.example" is not an http or https URL; did you mean "https://b.example"?'],
    [['https://a.example', 'https://a.example'], '<from> and <to> are the same'],
    [['https://a.example', 'https://b.example', 'h0', '--all'], 'specify only one of <hash>... or --all\n'],
    [['--scheme', 'http', '--all'], '--scheme: expected one of {https}, got "http"'],
    [['--scheme', 'https'], 'no links selected: add <hash>..., --by-tags, --search or --hashes-from, or --all for all links'],
    [['--utm', 'source=x', '--filter', 'tags=a'], '--filter narrows a selection: for all links add --all'],
    [['--remove-param', 'x', '--all-domains'], '--all-domains says where links are selected: for all links add --all'],
    [['--set-param', 'x=1', '--all', '--by-tags', 'a'], 'specify only one of --by-tags or --all'],
    [['--host', 'a.example'], '--host: expected old=new'],
    [['--host', 'a.example', 'b.example'], '--host: expected old=new'],
    [['--regex', 'a.example', 'b.example'], '--regex requires --to'],
    [['--host', 'a.example=b.example', '--host', 'b.example=c.example'], '--host: specify only one of'],
    [['--regex', 'x'], '--regex requires --to'],
    [['--to', 'x', '--all'], '--to requires --regex'],
    [['--regex', '(', '--to', 'x'], '--regex: "(" is not a regular expression'],
    [['--regex', '^(?=h)(\\w+\\w?)+$', '--to', 'x'], '--regex: "^(?=h)(\\\\w+\\\\w?)+$" could run for ever'],
    [['--regex', '(x)', '--to', '$2'], '--to: --regex has no group 2'],
    [['--filter', 'url~(a+)\\1', '--all', '--scheme', 'https'], '--filter "url~(a+)\\\\1": "(a+)\\\\1" could run for ever'],
    [['--utm', 'sorce=x', '--all'], '--utm: unknown name "sorce"; expected one of source, medium, campaign, term, content'],
    [['--set-param', '=x', '--all'], '--set-param: expected name=value'],
    [['--host', 'a.example=b.example', '--filter', 'hots=x'], '--filter "hots=x": unknown field "hots", did you mean host?'],
  ] as const)('B11: rewrite %j is exit 2, and nothing is sent', async ([words, message], { linkctl, wire }) => {
    const ran = await linkctl(['rewrite', ...words, ...sure]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`error: ${message}`);
    expect(await sent(wire)).toEqual([]);
  });
});

describe('short URLs on this computer', () => {
  test.override({ domains: [{ name: 'localhost:8787' }] });

  test.for(['localhost', '127.0.0.1'])('E35: no link is led to them by the name %s', async (name, { linkctl, wire, service }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'http://old.example/x' }]);
    const ran = await linkctl(['rewrite', '--host', `old.example=${name}:8787`, ...sure]);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`leads to ${name}:8787, a domain of the account`);
    expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
  });
});

describe('two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });
  const both = ['a.example', 'b.example'];
  const links = [...oddHashes].map((custom_hash, index) => ({
    custom_hash,
    long_url: `https://${index % 2 ? 'old' : 'other'}.example/${custom_hash}`,
    tags: ['promo'],
  }));
  const words = ['rewrite', '--host', 'old.example=new.example', ...sure];
  const before = Object.fromEntries(links.map(({ custom_hash, long_url }) => [custom_hash, long_url]));
  const after = Object.fromEntries(links.map(({ custom_hash, long_url }) => [custom_hash, long_url.replace('old.', 'new.')]));

  test('F6: only the working domain is rewritten, which is said', async ({ linkctl, service }) => {
    for (const domain of both) await store(service, links, domain);
    const ran = await linkctl(words);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('Covers only a.example, not b.example. To include all domains, use --all-domains.');
    expect(await destinations(service, 'a.example')).toEqual(after);
    expect(await destinations(service, 'b.example')).toEqual(before);
    expect((await linkctl([...words, '--domain', 'b.example'])).code).toBe(0);
    expect(await destinations(service, 'b.example')).toEqual(after);
  });

  test.for([['--all-domains'], ['--by-tags', 'promo', '--max-affected', '6']])(
    'F5, F6: with %j the same hash is rewritten on each domain',
    async (selection, { linkctl, wire, service }) => {
      for (const domain of both) await store(service, links, domain);
      const ran = await linkctl([...words, ...selection]);
      expect(ran.code).toBe(0);
      const changed = Object.keys(before).filter((hash) => before[hash] !== after[hash]);
      const shown = both.flatMap((domain) => changed.map((hash) => `${domain}/${hash}`));
      expect(ran.stdout.trimEnd().split('\n').sort()).toEqual(shown.sort());
      for (const domain of both) expect(await destinations(service, domain)).toEqual(after);
      expect((await edits(wire)).map(({ call }) => call).sort()).toEqual(both.map((domain) => `PATCH /urls?domain=${domain}`));
    },
  );

  test('W2: the csv of a plan for several domains changes the same links', async ({ linkctl, service, folder }) => {
    await store(service, links, 'a.example');
    await store(
      service,
      [
        { custom_hash: 'null', long_url: 'https://kept.example/' },
        { custom_hash: 'x', long_url: 'https://old.example/x' },
      ],
      'b.example',
    );
    const { stdout } = await linkctl([...words, '--all-domains', '-n', '-o', 'csv']);
    const path = join(folder, 'edits.csv');
    writeFileSync(path, stdout);
    expect((await linkctl(['edit', '-f', path])).code).toBe(0);
    expect(await destinations(service, 'a.example')).toEqual(after);
    expect(await destinations(service, 'b.example')).toEqual({ null: 'https://kept.example/', x: 'https://new.example/x' });
  });

  test('W2: no link is led to a domain of the account', async ({ linkctl, wire, service }) => {
    await store(service, links, 'a.example');
    const ran = await linkctl(['rewrite', '--host', 'old.example=B.example', ...sure]);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('leads to b.example, a domain of the account');
    expect(await edits(wire)).toEqual([]);
    expect(await destinations(service, 'a.example')).toEqual(before);
  });
});
