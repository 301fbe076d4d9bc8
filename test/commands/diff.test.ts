import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';
import { numbered, oddHashes, store } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };

/** Values that a careless reader of csv takes for something else. */
const nasty = [
  ...oddHashes.map((hash, nth) => ({ custom_hash: hash, long_url: `https://example.com/${nth}` })),
  { custom_hash: 'note', long_url: 'https://example.com/?q=a,b;c|d"e\'f', note: 'a,b;"c"\t|\nsecond line\r\n=1+1 é e\u0301 🙂' },
  { custom_hash: 'blank', long_url: 'https://example.com/%20%7e#Top', note: ' blanks around ' },
  {
    custom_hash: 'tags',
    long_url: 'https://example.com/t',
    tags: ['a,b', ' x', '"q"', '+plus', '-minus', 'Ünï', 'never', 'a|b'],
  },
  { custom_hash: 'never', long_url: 'https://example.com/n', note: 'never', expiration_date: '9999-12-31' },
  { custom_hash: 'past', long_url: 'https://example.com/p', expiration_date: '2020-02-29', email_stats: true },
  { custom_hash: 'idn', long_url: 'https://münchen.example/ä?ö=ü' },
];

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for([
    ['csv', []],
    ['jsonl', []],
    ['csv', ['--fields', 'short_url,long_url,note,tags,total_clicks,last_visit']],
  ] as const)(
    'P1: what list wrote as %s with %j is equal to the account',
    async ([format, fields], { linkctl, service, wire, folder }) => {
      const bounded = edition === 'a' ? [{ custom_hash: 'max', long_url: 'https://example.com/m', max_clicks: 7 }] : [];
      // More than a page of edition b, once.
      await store(service, [...nasty, ...bounded, ...numbered(format === 'jsonl' && edition === 'b' ? 500 : 5)]);
      const flags = edition === 'b' ? fields.map((text) => text.replace(',last_visit', '')) : fields;
      const listed = await linkctl(['list', '--all', '-o', format, ...flags]);
      const file = join(folder, `links.${format}`);
      writeFileSync(file, listed.stdout);
      const from = (await wire.requests()).length;
      const ran = await linkctl(['diff', '-f', file]);
      expect(ran.stderr).toContain('equal');
      expect(ran.stderr).not.toContain('warning');
      expect(ran).toMatchObject({ code: 0, stdout: '' });
      const calls = (await sent(wire)).slice(from).map(({ call }) => call.slice(0, 4));
      expect([...new Set(calls)]).toEqual(['GET ']);
    },
  );

  test('P1: an empty account is equal to its listing', async ({ linkctl, folder }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, (await linkctl(['list', '-o', 'csv'])).stdout);
    expect(await linkctl(['diff', '-f', file])).toMatchObject({ code: 0, stdout: '' });
  });

  test('P1: what is missing, different and besides is a row each, and exit 12', async ({ linkctl, service, folder }) => {
    await store(service, [
      { custom_hash: 'same', long_url: 'https://example.com/same', note: 'other', tags: ['x'] },
      { custom_hash: 'diff', long_url: 'https://old.example/1', note: 'old', tags: ['a', 'B'], expiration_date: '2031-01-01' },
      { custom_hash: 'more', long_url: 'https://example.com/more' },
    ]);
    const file = join(folder, 'links.csv');
    writeFileSync(
      file,
      [
        'custom_hash,long_url,note,tags,expiration_date,total_clicks',
        'same,https://example.com/same,,,,99',
        'new,https://example.com/new,fresh,c,,',
        'diff,https://new.example/1,now,"b,c",never,',
        '',
      ].join('\n'),
    );
    const ran = await linkctl(['diff', '-f', file, '-o', 'json']);
    expect(ran.code).toBe(12);
    const { differences, summary } = JSON.parse(ran.stdout);
    expect(summary).toEqual({ only_in_file: 1, different: 1, only_in_account: 1, equal: 1, refused: 0 });
    const short = (hash: string) => expect.stringContaining(`/${hash}`);
    expect(differences).toEqual([
      { sign: '+', hash: 'new', after: 'https://example.com/new' },
      { sign: '+', hash: 'new', field: 'note', after: 'fresh' },
      { sign: '+', hash: 'new', field: 'tags', after: ['c'] },
      {
        sign: '~',
        hash: 'diff',
        short_url: short('diff'),
        field: 'long_url',
        before: 'https://old.example/1',
        after: 'https://new.example/1',
      },
      { sign: '~', hash: 'diff', short_url: short('diff'), field: 'note', before: 'old', after: 'now' },
      { sign: '~', hash: 'diff', short_url: short('diff'), field: 'expiration_date', before: '2031-01-01', after: null },
      { sign: '~', hash: 'diff', short_url: short('diff'), field: 'tags', before: ['a', 'B'], after: ['B', 'c'] },
      { sign: '-', hash: 'more', short_url: short('more'), before: 'https://example.com/more' },
    ]);
    const text = await linkctl(['diff', '-f', file]);
    expect(text.stdout.split('\n')[0]).toBe('+\tnew\t\t\thttps://example.com/new');
    expect(text.stderr).toContain('4 links: 1 only in file, 1 different, 1 only in account, 1 equal');
    expect(text.stderr).not.toContain('error:');
  });

  test('P1: in jsonl "" clears every field that can be empty', async ({ linkctl, service }) => {
    const limits = edition === 'a' ? { max_clicks: 7 } : {};
    const full = { note: 'n', tags: ['a'], expiration_date: '2031-01-31', ...limits };
    await store(service, [{ custom_hash: 'full', long_url: 'https://example.com/', ...full }]);
    const cleared = Object.fromEntries(Object.keys(full).map((field) => [field, '']));
    const stdin = `${JSON.stringify({ hash: 'full', ...cleared })}\n`;
    const found = await linkctl(['diff', '-f', '-', '--input-format', 'jsonl', '-o', 'csv'], { stdin });
    expect(found.code, found.stderr).toBe(12);
    expect(found.stdout.trimEnd().split('\n').slice(1)).toHaveLength(Object.keys(full).length);
    expect(await linkctl(['apply', '-f', '-', '--input-format', 'jsonl', '--yes'], { stdin })).toMatchObject({ code: 0 });
    expect(await linkctl(['diff', '-f', '-', '--input-format', 'jsonl'], { stdin })).toMatchObject({ code: 0, stdout: '' });
  });

  test('P1: in jsonl "" and null are values that a link does not have', async ({ linkctl, service }) => {
    await store(service, [
      { custom_hash: 'full', long_url: 'https://example.com/', note: 'n', tags: ['t'], expiration_date: '2031-01-01' },
      { custom_hash: 'bare', long_url: 'https://example.com/' },
    ]);
    const rows = ['full', 'bare'].map((hash) => ({ hash, long_url: null, note: null, tags: null, expiration_date: null }));
    const stdin = `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
    const ran = await linkctl(['diff', '-f', '-', '--input-format', 'jsonl', '-o', 'jsonl'], { stdin });
    expect(ran.code).toBe(12);
    const found = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found.map(({ hash, field, after }) => [hash, field, after])).toEqual([
      ['full', 'note', ''],
      ['full', 'expiration_date', null],
      ['full', 'tags', []],
    ]);
    const empty = `${JSON.stringify({ hash: 'full', note: '' })}\n`;
    const one = await linkctl(['diff', '-f', '-', '--input-format', 'jsonl', 'full'], { stdin: empty });
    expect(one).toMatchObject({ code: 12, stdout: '~\tfull\tnote\tn\t\n' });
  });

  test('P1, I2, I3: the file of another service is compared as it is read', async ({ linkctl, service, folder }) => {
    await store(service, [
      { custom_hash: 'a', long_url: 'https://a.example/', note: 'first' },
      { custom_hash: 'b', long_url: 'https://b.example/', note: 'second' },
    ]);
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'Slashtag;Destination;Title;Clicks\na;https://a.example/;first;7\nb;https://b.example/;other;9\n');
    const ran = await linkctl(['diff', '-f', file]);
    expect(ran).toMatchObject({ code: 12, stdout: '~\tb\tnote\tsecond\tother\n' });
    expect(ran.stderr).toMatch(/Slashtag -> (custom_)?hash/);
    writeFileSync(file, 'Code,Page\na,https://a.example/\nb,https://b.example/\n');
    expect(await linkctl(['diff', '-f', file, '--columns', 'hash=Code,long_url=Page'])).toMatchObject({ code: 0 });
    expect(await linkctl(['apply', '-f', file, '--columns', 'hash=Code,long_url=Page', '--yes'])).toMatchObject({ code: 0 });
  });

  test('D55, P1: a last day in 9999 is never', async ({ linkctl, service, folder }) => {
    await store(service, [
      { custom_hash: 'never', long_url: 'https://example.com/', expiration_date: '9999-12-31' },
      { custom_hash: 'none', long_url: 'https://example.com/' },
    ]);
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,expiration_date\nnever,never\nnone,9999-12-31\n');
    expect(await linkctl(['diff', '-f', file])).toMatchObject({ code: 0, stdout: '' });
  });

  test('P1: a selection says which links count as besides', async ({ linkctl, service, folder }) => {
    await store(service, [
      { custom_hash: 'a', long_url: 'https://a.example/', tags: ['promo'] },
      { custom_hash: 'b', long_url: 'https://b.example/', tags: ['promo'] },
      { custom_hash: 'c', long_url: 'https://c.example/' },
    ]);
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url\na,https://a.example/\n');
    const besides = async (...selection: string[]) => (await linkctl(['diff', '-f', file, ...selection])).stdout;
    const minus = (...hashes: string[]) => hashes.map((hash) => `-\t${hash}\t\thttps://${hash}.example/\t\n`).join('');
    expect(await besides()).toBe(minus('c', 'b'));
    expect(await besides('--by-tags', 'promo')).toBe(minus('b'));
    expect(await besides('--filter', 'tags=promo')).toBe(minus('b'));
    expect(await besides('--search', 'c.example')).toBe(minus('c'));
    expect(await besides('--all')).toBe(minus('c', 'b'));
    expect(await besides('b')).toBe(minus('b'));
    expect(await besides('a')).toBe('');
  });

  test('P1, B43: a named link that neither side has is exit 5, or 3 besides others, even if there are differences', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, [
      { custom_hash: 'a', long_url: 'https://a.example/' },
      { custom_hash: 'b', long_url: 'https://b.example/' },
    ]);
    const [same, drifted, hashes] = ['same.csv', 'drifted.csv', 'hashes'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(same, 'hash,long_url\na,https://a.example/\n');
    writeFileSync(drifted, 'hash,long_url\na,https://new.example/\nnew,https://new.example/\n');
    writeFileSync(hashes, 'typo\n');
    const missing = expect.stringMatching(/^error: no short URL "typo".* \[API 1306\]$/m);
    expect(await linkctl(['diff', '-f', same, 'typo'])).toMatchObject({ code: 5, stdout: '', stderr: missing });
    expect(await linkctl(['diff', '-f', same, '--hashes-from', hashes])).toMatchObject({ code: 5, stdout: '', stderr: missing });
    expect(await linkctl(['diff', '-f', same, 'typo'], watched)).toMatchObject({ code: 5, stderr: missing });
    const both = await linkctl(['diff', '-f', drifted, 'a', 'b', 'typo']);
    expect(both).toMatchObject({ code: 3, stderr: missing });
    expect(both.stderr).toContain('error: 1 of 3 links does not exist');
    expect(
      both.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => line.slice(0, 3)),
    ).toEqual(['~\ta', '+\tn', '-\tb']);
    const json = JSON.parse((await linkctl(['diff', '-f', same, 'typo', '-o', 'json'])).stdout);
    expect(json.differences).toEqual([expect.objectContaining({ hash: 'typo', error: expect.objectContaining({ code: 1306 }) })]);
    const comment = await linkctl(['diff', '-f', drifted, 'typo', '-o', 'markdown']);
    expect(comment).toMatchObject({ code: 5, stdout: expect.stringContaining('not found (1): typo'), stderr: missing });
    // The file plans this link, so it is a difference.
    expect(await linkctl(['diff', '-f', drifted, 'new'])).toMatchObject({ code: 12 });
  });

  test('P1: a terminal gets changes that are alike once, with their number', async ({ linkctl, service, folder }) => {
    await store(service, numbered(40));
    const file = join(folder, 'links.csv');
    const rows = numbered(30).map(
      ({ custom_hash, long_url }) => `${custom_hash},${long_url.replace('example.com', 'new.example')}`,
    );
    writeFileSync(file, `hash,long_url\n${rows.join('\n')}\nnew1,https://x.example/1\nnew2,https://x.example/2\n`);
    const ran = await linkctl(['diff', '-f', file], watched);
    expect(ran.code).toBe(12);
    expect(ran.stderr).toContain('42 links: 2 only in file, 30 different, 10 only in account\n');
    expect(ran.stderr).toMatch(/^ {2}~ example\.com -> new\.example +30$/m);
    expect(ran.stderr).toMatch(/^ {2}- only in account +10$/m);
    expect(ran.stderr).toMatch(/^ {2}\+ only in file +2$/m);
    expect(ran.stderr).toMatch(/^ {2}- \S+\/h\d+ -> https:\/\/example\.com\/\d+ \(0 clicks\)$/m);
    expect(ran.stderr).not.toMatch(/cannot be restored|would be/);
  });

  test.for([
    ['long_url\nhttps://example.com/\n', 'column hash is missing: a link is compared by its hash, custom_hash or short_url'],
    ['hash,long_url\na,https://a.example/\n,https://b.example/\n', ':3: hash is missing'],
    ['hash,long_url\na,https://a.example/\na,https://b.example/\n', ':3: hash: "a" is already on line 2'],
    ['hash,custom_hash\na,b\n', 'columns hash and custom_hash both set the hash'],
  ] as const)('P1: %j is refused, and nothing is read', async ([text, reason], { linkctl, wire, folder }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, text);
    const ran = await linkctl(['diff', '-f', file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(reason);
    expect(await sent(wire)).toEqual([]);
  });

  test('P1: a file without even a header is refused: its listing failed', async ({ linkctl, wire, folder }) => {
    const file = join(folder, 'links.csv');
    for (const text of ['', '\n\n', '\ufeff']) {
      writeFileSync(file, text);
      const ran = await linkctl(['diff', '-f', file]);
      expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no rows') });
    }
    expect(await sent(wire)).toEqual([]);
  });

  test('P1: a link that is listed, but not found by its hash, is neither: exit 8', async ({ linkctl, service, wire, folder }) => {
    await store(service, numbered(3));
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url\nh0,https://example.com/0\nh1,https://example.com/1\n');
    for (const words of [['diff'], ['apply', '--yes']]) {
      await wire.script([{ only: { method: 'GET', path: 'hashes=' }, times: 'all', alter: 'drop last' }]);
      await wire.script([
        { only: { method: 'GET', path: 'h1' }, times: 'all', answer: { body: { error: { code: 0 }, urls: [] } } },
      ]);
      const ran = await linkctl([...words, '-f', file]);
      expect(ran.code).toBe(8);
      expect(ran.stderr).toMatch(/the server lists (\S+\/)?h1, but did not find it by its hash/);
    }
    expect((await sent(wire)).every(({ call }) => call.startsWith('GET'))).toBe(true);
  });

  test('P1, B40: a difference is exit 12 in every format, even if the reader left', async ({ linkctl, service, folder }) => {
    await store(service, numbered(1));
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url,note\nh0,https://example.com/0,other\n');
    const reader = () => Promise.reject(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    for (const format of ['table', 'json', 'jsonl', 'csv', 'tsv', 'markdown']) {
      expect([format, (await linkctl(['diff', '-f', file, '-o', format], { reader })).code]).toEqual([format, 12]);
    }
  });

  test('P1: a failure is no drift', async ({ linkctl, folder }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url\na,https://a.example/\n');
    const ran = await linkctl(['diff', '-f', file], {
      env: { LINKCTL_BASE_URL: 'http://127.0.0.1:9/api/3', LINKCTL_RETRIES: '0' },
    });
    expect(ran.code).toBe(8);
    expect(await linkctl(['diff'])).toMatchObject({ code: 2 });
  });
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('P1, F5: what list wrote is equal, of one domain and of all', async ({ linkctl, service, folder }) => {
    await store(service, nasty, 's.ex');
    await store(service, [...numbered(3), { custom_hash: 'hash', long_url: 'https://elsewhere.example/' }], 't.ex');
    for (const flags of [[], ['--all-domains'], ['--domain', 't.ex']]) {
      const file = join(folder, 'links.csv');
      writeFileSync(file, (await linkctl(['list', '-o', 'csv', ...flags])).stdout);
      expect(await linkctl(['diff', '-f', file, ...flags])).toMatchObject({ code: 0, stdout: '' });
      if (flags[0] !== '--domain') continue;
      // The domain that the file names, also where the default is another one.
      expect(await linkctl(['diff', '-f', file])).toMatchObject({ code: 0, stdout: '' });
      const whole = await linkctl(['diff', '-f', file, '--all-domains']);
      expect(whole.code).toBe(12);
      expect(whole.stdout.split('\n')[0]).toMatch(/^-\ts\.ex\/idn\t\thttps:/);
    }
  });

  test('F5: a short URL of another host is refused with its line', async ({ linkctl, service, wire, folder }) => {
    await store(service, numbered(1), 's.ex');
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'short_url,long_url\nS.EX/h0,https://example.com/0\nbit.ly/h0,https://example.com/0\n');
    for (const words of [['diff'], ['apply', '--yes']]) {
      const ran = await linkctl([...words, '-f', file]);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(
        'links.csv, line 3: "bit.ly/h0" is not a short URL of this account, which has links on s.ex and t.ex',
      );
    }
    expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /domains', 'GET /domains']);
  });

  test('F5: bare hashes are refused without --domain', async ({ linkctl, service, folder }) => {
    await store(service, numbered(1), 't.ex');
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url\nh0,https://example.com/0\n');
    const ran = await linkctl(['diff', '-f', file]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('"h0" may be on s.ex or t.ex');
    expect(await linkctl(['diff', '-f', file, '--domain', 't.ex'])).toMatchObject({ code: 0 });
  });
});
