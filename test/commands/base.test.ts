import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { test as base, runnerIn, sent, sure } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

interface World {
  /** A listing of five links. */
  readonly listed: string;
  /** The same, edited by its owner: a note of h1, a destination of h2, tags of h3. */
  readonly edited: string;
  /** Another person, past the wire. */
  readonly colleague: ReturnType<typeof runnerIn>;
}

const test = base.extend<{ world: World }>({
  world: async ({ folder, service, linkctl, env }, use) => {
    await store(service, numbered(5, { note: 'n', tags: ['a', 'b'] }));
    const listed = join(folder, 'listed.csv');
    const edited = join(folder, 'edited.csv');
    const text = (await linkctl(['list', '--all', '-o', 'csv', '--fields', 'short_url,long_url,note,tags,expiration_date']))
      .stdout;
    writeFileSync(listed, text);
    const lines = text.split('\n').map((line) => {
      if (line.includes('/h1,')) return line.replace(/,"?n"?,/, ',mine,');
      if (line.includes('/h2,')) return line.replace('https://example.com/2', 'https://mine.example/2');
      return line.includes('/h3,') ? line.replace('"a,b"', '"b,c"') : line;
    });
    writeFileSync(edited, lines.join('\n'));
    await use({ listed, edited, colleague: runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl }) });
  },
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  const links = async (service: Parameters<typeof stored>[0]) =>
    new Map((await stored(service)).map(({ hash, long_url, note, tags }) => [hash, { long_url, note, tags }]));

  test('B91, W5: --strict-columns is about the file, not about what a server adds to the listing of --base', async ({
    linkctl,
    folder,
    world: { edited },
  }) => {
    const base = join(folder, 'base.json');
    const { urls } = JSON.parse((await linkctl(['list', '--all', '-o', 'json'])).stdout);
    writeFileSync(base, JSON.stringify({ urls: urls.map((link: object) => ({ ...link, uuid: 'x', title: 'y' })) }));
    expect(await linkctl(['edit', '-f', edited, '--base', base, '--strict-columns', ...sure])).toMatchObject({ code: 0 });
    expect((await linkctl(['edit', '-f', base, '--strict-columns', ...sure])).stderr).toContain('unknown member "uuid"');
  });

  test('E22, W5: edit -f sends only cells that differ from --base, and leaves a link alone that somebody else has changed', async ({
    linkctl,
    service,
    wire,
    world: { listed, edited, colleague },
  }) => {
    await colleague(['edit', 'h0', '--url', 'https://newer.example/0']);
    await colleague(['edit', 'h1', '--url', 'https://newer.example/1']);
    await colleague(['edit', 'h2', '--url', 'https://newer.example/2']);
    await colleague(['edit', 'h3', '--add-tag', 'theirs']);
    const ran = await linkctl(['edit', '-f', edited, '--base', listed, ...sure]);
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toMatch(/h2: changed since it was listed: long_url/);
    expect(ran.stderr).toMatch(/5 rows: 2 changed, 2 unchanged, 1 failed/);
    const patches = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH')).map(({ body }) => body);
    expect(patches).toEqual([
      {
        urls: [
          { hash: 'h3', tags: ['+c', '-a'] },
          { hash: 'h1', note: 'mine' },
        ],
      },
    ]);
    const now = await links(service);
    expect(now.get('h0')?.long_url).toBe('https://newer.example/0');
    expect(now.get('h1')).toMatchObject({ long_url: 'https://newer.example/1', note: 'mine' });
    expect(now.get('h2')?.long_url).toBe('https://newer.example/2');
    expect([...(now.get('h3')?.tags ?? [])].sort()).toEqual(['b', 'c', 'theirs']);
  });

  test('W5: the file of failed rows overwrites what was changed since the base, and a hint says so', async ({
    folder,
    linkctl,
    world: { listed, edited, colleague },
  }) => {
    const failed = join(folder, 'failed.csv');
    const words = ['edit', '-f', edited, '--base', listed, ...sure];
    await colleague(['edit', 'h2', '--url', 'https://newer.example/2']);
    expect((await linkctl(words)).stderr).not.toContain('hint: ');
    const ran = await linkctl([...words, '--failed', failed]);
    expect(ran.stderr).toContain(`\nhint: ${failed} without --base overwrites these changes: check the links first\n`);
    expect(await linkctl(['edit', '-f', failed])).toMatchObject({ code: 0 });
  });

  test('W5: a cell of tags as in the base is not sent, even if a label begins with a sign', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, [
      { custom_hash: 'plus', long_url: 'https://example.com/plus', tags: ['+x', 'a'] },
      { custom_hash: 'minus', long_url: 'https://example.com/minus', tags: ['-y'] },
    ]);
    const [listed, file] = [join(folder, 'signs.csv'), join(folder, 'signs-edited.csv')];
    const { stdout } = await linkctl(['list', '-o', 'csv', '--fields', 'hash,tags']);
    writeFileSync(listed, stdout);
    writeFileSync(file, stdout.replace('"+x,a"', '"+x,-a"'));
    const ran = await linkctl(['edit', '-f', listed, '--base', listed, ...sure]);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('2 rows: 2 unchanged') });
    expect((await sent(wire)).filter(({ call }) => call.startsWith('PATCH'))).toEqual([]);
    expect((await linkctl(['edit', '-f', file, '--base', listed, ...sure])).code).toBe(0);
    const now = await links(service);
    expect([now.get('plus')?.tags?.toSorted(), now.get('minus')?.tags]).toEqual([['+x', 'x'], ['-y']]);
  });

  const labels = ['x|y', '"q"', 'a;b'];
  test.for([
    [
      'a column owner',
      'hash,short_url,long_url,tags,note',
      (line: string, nth: number) => `${line},${nth === 0 ? 'owner' : 'me'}`,
    ],
    [
      'a column title, without hashes',
      'short_url,long_url,tags',
      (line: string, nth: number) => `${line},${nth === 0 ? 'title' : ''}`,
    ],
    [
      'a header Long URL',
      'hash,short_url,long_url,tags',
      (line: string, nth: number) => (nth === 0 ? line.replace('long_url', 'Long URL') : line),
    ],
    [
      'a header Long URL, without hashes',
      'short_url,long_url,tags',
      (line: string, nth: number) => (nth === 0 ? line.replace('long_url', 'Long URL') : line),
    ],
  ] as const)(
    'W5, I13, B21: with %s that the user made of a listing, only the cells that were edited are sent',
    async ([, fields, edit], { linkctl, service, wire, folder }) => {
      const tagged = labels.map((label, nth) => ({
        custom_hash: `t${nth}`,
        long_url: `https://example.com/t${nth}`,
        tags: [label],
      }));
      await store(service, tagged);
      const [listed, file] = [join(folder, 'main.csv'), join(folder, 'own.csv')];
      const { stdout } = await linkctl(['list', '--all', '-o', 'csv', '--fields', fields]);
      writeFileSync(listed, stdout);
      const lines = stdout.trimEnd().split('\n').map(edit);
      writeFileSync(file, `${lines.join('\n').replace('example.com/t1', 'mine.example/t1')}\n`);
      const diff = await linkctl(['diff', '-f', file, '--base', listed]);
      expect(diff, diff.stderr).toMatchObject({ code: 12, stderr: expect.stringContaining('1 different') });
      // Without the base, a file that has hashes is as clear.
      const words = fields.startsWith('hash') ? [file] : [file, '--base', listed];
      const plan = await linkctl(['diff', '-f', ...words]);
      expect(plan, plan.stderr).toMatchObject({ code: 12, stderr: expect.stringContaining('1 different') });
      const ran = await linkctl(['edit', '-f', ...words, ...sure]);
      expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining('1 changed') });
      const applied = await linkctl(['apply', '-f', ...words, ...sure]);
      expect(applied.code, applied.stderr).toBe(0);
      const now = await links(service);
      expect(labels.map((_, nth) => now.get(`t${nth}`)?.tags)).toEqual(labels.map((label) => [label]));
      expect(now.get('t1')?.long_url).toBe('https://mine.example/t1');
      const patches = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH'));
      // Without a base, edit sends each cell, in which no label is another.
      expect(JSON.stringify(patches)).not.toMatch(words.length > 1 ? /tags/ : /"\+[xyab]"/);
    },
  );

  /** The ways to write a listing: the flags are for the file, which has another form. */
  const forms: readonly [string, readonly string[], string, string][] = [
    ['labels with semicolons', ['--tag-separator', ';'], 'hash,tags\nt,café\n', 'tags'],
    ['another encoding', ['--encoding', 'windows-1252'], 'hash,tags\nt,caf\u00e9\n', 'tags'],
    ['another encoding of the removed label', ['--encoding', 'windows-1252'], 'hash,tags\nt,b\n', 'tags'],
    ['a name of its own', ['--columns', 'note=Remark'], 'hash,Remark\nt,mine\n', 'note'],
    ['semicolons', ['--delimiter', ';'], 'hash;note\nt;mine\n', 'note'],
  ];
  test.for(forms)(
    'W5, I14: a file with %s has the base that linkctl listed: its flags say nothing of that',
    async ([, flags, text, field], { linkctl, service, folder }) => {
      await store(service, [{ custom_hash: 't', long_url: 'https://example.com/t', note: "'n", tags: ['b', 'café'] }]);
      const file = join(folder, 'own.csv');
      writeFileSync(file, text, flags.includes('windows-1252') ? 'latin1' : 'utf8');
      const [csv, jsonl] = [join(folder, 'all.csv'), join(folder, 'all.jsonl')];
      writeFileSync(csv, (await linkctl(['list', '--all', '-o', 'csv'])).stdout);
      writeFileSync(jsonl, (await linkctl(['list', '--all', '-o', 'jsonl'])).stdout);
      for (const base of [csv, jsonl]) {
        const ran = await linkctl(['diff', '-f', file, '--base', base, 't', ...flags, '-o', 'json']);
        expect(ran.code, ran.stderr).toBe(12);
        expect(JSON.parse(ran.stdout)).toMatchObject({ differences: [{ sign: '~', field }], summary: { different: 1 } });
      }
      const piped = await linkctl(['diff', '-f', file, '--base', '-', 't', ...flags], { stdin: readFileSync(csv) });
      expect(piped.code, piped.stderr).toBe(12);
      expect((await linkctl(['apply', '-f', file, '--base', csv, ...flags, '-n'])).stdout).toContain(`${field}: `);
      const edit = await linkctl(['edit', '-f', file, '--base', csv, ...flags, ...sure]);
      expect(edit, edit.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining('1 changed') });
    },
  );

  test('W5: what somebody else has set as the file says is no conflict', async ({
    linkctl,
    service,
    world: { listed, edited, colleague },
  }) => {
    await colleague(['edit', 'h2', '--url', 'https://mine.example/2']);
    const ran = await linkctl(['edit', '-f', edited, '--base', listed, ...sure]);
    expect(ran.code, ran.stderr).toBe(0);
    expect((await links(service)).get('h2')?.long_url).toBe('https://mine.example/2');
  });

  test('W5: the plan names the links that are left alone', async ({ linkctl, wire, world: { listed, edited, colleague } }) => {
    await colleague(['edit', 'h2', '--url', 'https://newer.example/2']);
    const screen = { terminal: { stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
    const ran = await linkctl(['edit', '-f', edited, '--base', listed, '-n'], screen);
    expect(ran.stderr).toContain('2 links would be changed, 2 unchanged, 1 refused');
    expect(ran.stderr).toContain('changed since the base: long_url (1): http://localhost/h2');
    expect((await sent(wire)).filter(({ call }) => call.startsWith('PATCH'))).toEqual([]);
    const { requests } = JSON.parse((await linkctl(['edit', '-f', edited, '--base', listed, '-n', '-o', 'json'])).stdout);
    expect(JSON.stringify(requests)).toContain('"mine"');
    expect(JSON.stringify(requests)).not.toMatch(/"h[024]"|mine\.example/);
  });

  test('W5: a link that the base lacks is refused, with its line; so are other values', async ({
    linkctl,
    folder,
    world: { listed },
  }) => {
    const file = join(folder, 'other.csv');
    writeFileSync(file, 'short_url,note\nlocalhost/h0,x\nlocalhost/zz,y\n');
    const ran = await linkctl(['edit', '-f', file, '--base', listed, ...sure]);
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/other\.csv:3: "(localhost\/)?zz" is not in \S+listed\.csv/),
    });
    expect((await linkctl(['edit', '-f', file, '--base', listed, '--note', 'x'])).code).toBe(2);
  });

  test('W5: a file that names links by their hashes alone fits a base that has their short URLs, and the other way round', async ({
    linkctl,
    folder,
    service,
    world: { colleague },
  }) => {
    const [hashes, urls] = [join(folder, 'hashes.csv'), join(folder, 'urls.csv')];
    const whole = (await colleague(['list', '--all', '-o', 'csv'])).stdout;
    expect(whole).toMatch(/^hash,short_url,/);
    writeFileSync(urls, whole);
    writeFileSync(hashes, 'hash,long_url,note\nh1,https://example.com/1,mine\n');
    const diff = await linkctl(['diff', '-f', hashes, '--base', urls, 'h1']);
    expect(diff, diff.stderr).toMatchObject({ code: 12, stdout: expect.stringContaining('mine') });
    const edited = await linkctl(['edit', '-f', hashes, '--base', urls, ...sure]);
    expect(edited, edited.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining('1 changed') });
    expect((await links(service)).get('h1')?.note).toBe('mine');
    const back = await linkctl(['edit', '-f', urls, '--base', hashes, ...sure]);
    expect(back).toMatchObject({ code: 2, stderr: expect.stringContaining('4 links are not in') });
    expect(back.stderr).not.toContain('h1');
  });

  test('W5: an interrupted run is resumed with the same base only', async ({
    linkctl,
    service,
    wire,
    world: { listed, edited },
  }) => {
    const words = ['edit', '-f', edited, '--base', listed, '--batch-size', '1', '--concurrency', '1', ...sure];
    await wire.script([{ only: { method: 'PATCH' } }, { only: { method: 'PATCH' }, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    await wire.script([]);
    expect(await linkctl(words.filter((word) => word !== '--base' && word !== listed))).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('was started with other flags (--base)'),
    });
    const ran = await linkctl(words);
    expect(ran.code, ran.stderr).toBe(0);
    expect((await links(service)).get('h1')?.note).toBe('mine');
  });

  test('E22, W5: diff and apply take --base, too: what the file has as the listing is left as it is', async ({
    linkctl,
    service,
    world: { listed, edited, colleague },
  }) => {
    await colleague(['edit', 'h0', '--url', 'https://newer.example/0']);
    await colleague(['edit', 'h2', '--url', 'https://newer.example/2']);
    await colleague(['delete', 'h4', '--yes']);
    await colleague(['shorten', 'https://theirs.example/', '--hash', 'theirs', '--tag', 'a']);
    const diff = await linkctl(['diff', '-f', edited, '--base', listed]);
    expect(diff.code, diff.stderr).toBe(12);
    expect(
      diff.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(0, 3).join(' ').replace('localhost/', '')),
    ).toEqual(['~ h3 tags', '! h2 long_url', '~ h1 note']);
    const ran = await linkctl(['apply', '-f', edited, '--base', listed, '--prune', 'a', ...sure]);
    expect(ran.code, ran.stderr).toBe(3);
    const now = await links(service);
    expect([...now.keys()].sort()).toEqual(['h0', 'h1', 'h2', 'h3', 'theirs']);
    expect(now.get('h0')?.long_url).toBe('https://newer.example/0');
    expect(now.get('h1')?.note).toBe('mine');
    expect(now.get('h2')?.long_url).toBe('https://newer.example/2');
    expect([...(now.get('h3')?.tags ?? [])].sort()).toEqual(['b', 'c']);
  });

  test('P1: the summary of diff counts the links that are refused', async ({ linkctl, world: { listed, edited, colleague } }) => {
    await colleague(['edit', 'h2', '--url', 'https://newer.example/2']);
    const ran = await linkctl(['diff', '-f', edited, '--base', listed, '-o', 'json']);
    const summary = { only_in_file: 0, different: 2, only_in_account: 0, equal: 2, refused: 1 };
    expect(JSON.parse(ran.stdout)).toMatchObject({ summary });
  });

  test('P1, P2, P5: with --base, diff and the plan of apply show the labels that a link gets, with those of others', async ({
    linkctl,
    service,
    world: { listed, edited, colleague },
  }) => {
    await colleague(['edit', 'h3', '--add-tag', '2nd']);
    const words = ['-f', edited, '--base', listed];
    const diff = await linkctl(['diff', ...words, 'localhost/h3', '-o', 'json']);
    const tags = JSON.parse(diff.stdout).differences.find(({ field }: { readonly field: string }) => field === 'tags');
    expect(tags).toMatchObject({ before: ['2nd', 'a', 'b'], after: ['2nd', 'b', 'c'] });
    const row = '| tags | `2nd,a,b` | `2nd,b,c` |';
    expect((await linkctl(['diff', ...words, '-o', 'markdown'])).stdout).toContain(row);
    expect((await linkctl(['apply', ...words, '-n', '-o', 'markdown'])).stdout).toContain(row);
    expect((await linkctl(['diff', ...words])).stdout).toMatch(/tags\t2nd,a,b\t2nd,b,c\n/);
    expect((await linkctl(['apply', ...words, ...sure])).code).toBe(0);
    expect((await links(service)).get('h3')?.tags).toEqual(['2nd', 'b', 'c']);
  });

  test('W5: a base from a pipe, which has no name, is in the format of the file', async ({
    linkctl,
    world: { listed, edited },
  }) => {
    const ran = await linkctl(['diff', '-f', edited, '--base', '-', '--fields', 'sign,hash,field'], {
      stdin: readFileSync(listed, 'utf8'),
    });
    expect(ran, ran.stderr).toMatchObject({ code: 12, stdout: '~\th3\ttags\n~\th2\tlong_url\n~\th1\tnote\n' });
  });

  test('W5: --prune deletes what was taken out of the file, and not what somebody else has changed since', async ({
    linkctl,
    folder,
    service,
    world: { listed, colleague },
  }) => {
    await colleague(['edit', 'h1', '--note', 'still needed']);
    const file = join(folder, 'shorter.csv');
    const listing = (await linkctl(['list', '--all', '-o', 'csv', '--fields', 'short_url,long_url'])).stdout;
    writeFileSync(
      file,
      listing
        .split('\n')
        .filter((line) => !/\/h[12],/.test(line))
        .join('\n'),
    );
    const ran = await linkctl(['apply', '-f', file, '--base', listed, '--prune', 'a', ...sure]);
    expect(ran.code, ran.stderr).toBe(3);
    expect([...(await links(service)).keys()].sort()).toEqual(['h0', 'h1', 'h3', 'h4']);
  });

  test('P1: edit -f counts the cells that are empty where --base has a value, and nothing without --base', async ({
    linkctl,
    folder,
    service,
  }) => {
    await store(service, numbered(3, { note: 'n', tags: ['a'], expiration_date: '2031-01-31', max_clicks: 5 }));
    const [listed, edited] = [join(folder, 'listed.csv'), join(folder, 'edited.csv')];
    writeFileSync(listed, (await linkctl(['list', '--all', '-o', 'csv'])).stdout);
    writeFileSync(edited, readFileSync(listed, 'utf8').replaceAll(',n,', ',,').replace('2031-01-31', '').replace(/,5$/m, ','));
    const before = await stored(service);
    const counted =
      `not compared: 3 empty cells of note, 1 empty cell of expiration_date${edition === 'a' ? ', 1 empty cell of max_clicks' : ''} ` +
      '(to clear them: never for a date; in jsonl, "" or [])\n';
    for (const more of [['-n'], sure]) {
      const ran = await linkctl(['edit', '-f', edited, '--base', listed, ...more]);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(counted) });
    }
    const plain = await linkctl(['edit', '-f', edited, '-n']);
    expect(plain).toMatchObject({ code: 0, stderr: expect.not.stringContaining('not compared') });
    const [json, nulls] = [join(folder, 'listed.jsonl'), join(folder, 'nulls.jsonl')];
    writeFileSync(json, (await linkctl(['list', '--all', '-o', 'jsonl'])).stdout);
    writeFileSync(
      nulls,
      readFileSync(json, 'utf8').replaceAll('"note":"n"', '"note":null').replace('"tags":["a"]', '"tags":null'),
    );
    const ofNulls = await linkctl(['edit', '-f', nulls, '--base', json, ...sure]);
    expect(ofNulls).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not compared: 3 empty cells of note, 1 empty cell of tags (to clear them: '),
    });
    expect(await stored(service)).toEqual(before);
  });

  test('P1: empty cells are counted where the account has a value, and --clear-empty clears them', async ({
    linkctl,
    folder,
    service,
    world: _,
  }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(
      file,
      'short_url,long_url,note,tags\nlocalhost/h0,https://example.com/0,,"a,b"\nlocalhost/h1,https://example.com/1,,\n',
    );
    const diff = await linkctl(['diff', '-f', file, 'localhost/h0', 'localhost/h1']);
    expect(diff.code, diff.stderr).toBe(0);
    expect(diff.stderr).toContain('not compared: 2 empty cells of note, 1 empty cell of tags (--clear-empty clears them)\n');
    const cleared = await linkctl(['diff', '-f', file, 'localhost/h0', 'localhost/h1', '--clear-empty']);
    expect(cleared.code, cleared.stderr).toBe(12);
    expect(cleared.stdout.trimEnd().split('\n')).toHaveLength(3);
    const kept = await linkctl(['apply', '-f', file, ...sure]);
    expect(kept.stderr).toContain('not compared: 2 empty cells of note, 1 empty cell of tags (--clear-empty clears them)\n');
    const ran = await linkctl(['apply', '-f', file, '--clear-empty', ...sure]);
    expect(ran.code, ran.stderr).toBe(0);
    const now = await links(service);
    expect([now.get('h0'), now.get('h1'), now.get('h2')]).toMatchObject([
      { note: '', tags: ['a', 'b'] },
      { note: '', tags: [] },
      { note: 'n', tags: ['a', 'b'] },
    ]);
  });
});
