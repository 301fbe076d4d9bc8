import { describe, expect, test } from 'vitest';
import { checkInput, readRows } from '../../../src/input/check-input.ts';
import { check, checkEdit, failure, type Given, memorySource, optionsFor, rows } from '../fixtures.ts';

const url = 'https://example.com/';

describe('what is accepted', () => {
  test('B91: names in any case, order and spaces; an empty cell says nothing', async () => {
    const text = `Note , LONG_URL,tags,Email_Stats,expiration_date,max_clicks,custom_hash\nhello,${url},"a,b",yes,2030-01-02,5,abc\n,${url},,,,,\n`;
    expect((await rows(text)).map(({ item }) => item)).toEqual([
      {
        note: 'hello',
        long_url: url,
        tags: ['a', 'b'],
        email_stats: true,
        expiration_date: '2030-01-02',
        max_clicks: 5,
        custom_hash: 'abc',
      },
      { long_url: url },
    ]);
  });

  test('B91: a listing feeds shorten as it is: hash is the custom hash, read-only columns are skipped', async () => {
    const text = `hash,short_url,short_url_with_protocol,long_url,total_clicks,unique_clicks,last_visit,links,error,note\nabc,s.ex/abc,https://s.ex/abc,${url},7,3,2026-01-01 00:00:00,{},,hi\n`;
    expect(await rows(text)).toEqual([{ line: 2, item: { custom_hash: 'abc', long_url: url, note: 'hi' }, listed: true }]);
  });

  test('CLI 3.5: an edit names the URL by hash and renames it by custom_hash', async () => {
    const text = `hash,custom_hash,tags,note\nabc,new,"+a,-b,c","x"\n`;
    expect((await rows(text, { use: 'edit' })).map(({ item }) => item)).toEqual([
      { hash: 'abc', custom_hash: 'new', tags: ['+a', '-b', '+c'], note: 'x' },
    ]);
  });

  test('W2: where a link led before is no new value, and shorten does not know it', async () => {
    const text = `hash,long_url,old_long_url\nabc,${url},https://old.example/\n`;
    expect((await rows(text, { use: 'edit' })).map(({ item }) => item)).toEqual([
      { hash: 'abc', long_url: url, old_long_url: 'https://old.example/' },
    ]);
    expect((await check(text)).columns).toContain('unknown: old_long_url');
  });

  test.each<[string, string, number[]]>([
    ['LF', `long_url\n${url}1\n${url}2\n`, [2, 3]],
    ['CRLF', `long_url\r\n${url}1\r\n${url}2\r\n`, [2, 3]],
    ['CR only', `long_url\r${url}1\r${url}2\r`, [2, 3]],
    ['mixed line ends', `long_url\r\n${url}1\n${url}2\r${url}3`, [2, 3, 4]],
    ['no line end after the last row', `long_url\n${url}1`, [2]],
    ['blank lines', `\n\nlong_url\n\n\n${url}1\n\r\n${url}2\n\n`, [6, 8]],
    ['notes of several lines', `long_url,note\n${url}1,"a\nb\r\nc\rd"\n${url}2,"x\n"\n\n${url}3,\n`, [2, 6, 9]],
  ])('C02, B51, R 0.9: %s: the line of a row is the line of the file on which it begins', async (_, text, lines) => {
    expect((await rows(text)).map(({ line }) => line)).toEqual(lines);
  });

  test('C13: cells that look like formulas are taken as they are', async () => {
    const text = `long_url,note,tags\n${url},=cmd|'/c calc'!A1,"+1,@SUM"\n${url},-1,-1\n`;
    expect((await rows(text)).map(({ item: { note, tags } }) => [note, tags])).toEqual([
      ["=cmd|'/c calc'!A1", ['+1', '@SUM']],
      ['-1', ['-1']],
    ]);
  });

  test("B21: --strip-formula-guard takes exactly one ' off every cell that begins with one", async () => {
    const text = `long_url,note\n${url},'=1+1\n${url},''quoted'\n${url},'\n${url},plain\n`;
    const notes = async (given: Given) => (await rows(text, given)).map(({ item }) => item.note);
    expect(await notes({ formulaGuarded: true })).toEqual(['=1+1', "'quoted'", undefined, 'plain']);
    expect(await notes({})).toEqual(["'=1+1", "''quoted'", "'", 'plain']);
  });

  test.each([';', '\t', '|'])('C14, I1: the delimiter %j is found, and taken when it is named', async (sign) => {
    const text = `long_url${sign}note\n${url}${sign}a,b\n`;
    for (const given of [{}, { delimiter: sign }]) {
      expect((await rows(text, given))[0]?.item).toEqual({ long_url: url, note: 'a,b' });
    }
  });

  test('C16: equal rows are allowed', async () => {
    expect(await check(`long_url\n${url}\n${url}\n`)).toMatchObject({ rows: 2, withHash: 0 });
  });

  test('C17, C18: an address with a password and a date in the past are warnings with line and column', async () => {
    const { warnings } = await check(`long_url,expiration_date\nhttps://a:b@example.com,2020-01-01\n`);
    expect(warnings).toEqual([
      'links.csv:2:1: long_url: the URL contains a user name or password',
      'links.csv:2:2: expiration_date: 2020-01-01 is in the past',
    ]);
  });

  test.each<[string, string, object]>([
    ['a header that is refused', `colour,note\n${url},x\n`, {}],
    ['a doubtful delimiter', `one,two;three\n${url},x\n`, {}],
    ['an unclosed quote', `long_url,note\n${url},"x\n`, {}],
    ['a delimiter that is given', `long_url;note\n${url},"x\n`, { delimiter: ',' }],
  ])('the text is closed however its reading ends: %s', async (_, text, given) => {
    // Longer than what is read for the first line.
    const source = memorySource('links.csv', [text, `${url},x\n`.repeat(10), `${url},x\n`]);
    await failure(checkInput(source, optionsFor('shorten', given)));
    expect(source.open()).toBe(0);
  });

  test('the text is closed where the reader of the rows stops early', async () => {
    const source = memorySource('links.csv', [`long_url\n${url}1\n`.padEnd(80, '\n'), `${url}2\n`]);
    for await (const _ of readRows(source, optionsFor('shorten'))) break;
    expect(source.open()).toBe(0);
  });
});

describe('what is refused, exit 2', () => {
  test.each<[string, string, string[], Given?]>([
    [
      'C03: a quote that is never closed',
      `long_url,note\n${url},a\n${url},"b\n\n`,
      ['links.csv:3:2: unclosed quote (CSV_QUOTE_NOT_CLOSED)'],
    ],
    [
      'C03: a quote that is never closed, after blank lines',
      `long_url,note\n${url},"a\nb"\n\r\n\n${url},"b`,
      ['links.csv:6:2: unclosed quote (CSV_QUOTE_NOT_CLOSED)'],
    ],
    [
      'C04: a quote in the middle of a cell',
      `long_url,note\n${url},"x\ny"\n${url},a"b"\n`,
      [
        'links.csv:4:2: a quote in the middle of a cell: put the whole cell in quotes and double the quotes in it (INVALID_OPENING_QUOTE)',
      ],
    ],
    [
      'C04: text after a closing quote',
      `long_url,note\n${url},"a"b\n`,
      [
        'links.csv:2:2: a quote in the middle of a cell: put the whole cell in quotes and double the quotes in it (CSV_INVALID_CLOSING_QUOTE)',
      ],
    ],
    ['C05: a column twice', `long_url,long_url\n${url},${url}\n`, ['links.csv:1:2: duplicate column long_url']],
    ['C05: a column twice in other letters', `Long_URL,long_url\n${url},${url}\n`, ['links.csv:1:2: duplicate column long_url']],
    ['C06: no long_url', 'note\nhi\n', ['links.csv:1: column long_url is missing']],
    ['C06: a column without a name', `long_url,\n${url},\n`, ['links.csv:1:2: column without a name']],
    ['C06: an unknown column', `long_url,nots\n${url},a\n`, ['links.csv:1:2: unknown column "nots", did you mean note?']],
    [
      'C06, I13: an unknown column like no other, with --strict-columns',
      `long_url,colour\n${url},a\n`,
      [`links.csv:1:2: unknown column "colour": remove it, or leave out --strict-columns`],
      { strictColumns: true },
    ],
    [
      'C07: too few and too many cells',
      `long_url,note\n${url}\n${url},a,b\n`,
      ['links.csv:2: expected 2 cells, got 1', 'links.csv:3: expected 2 cells, got 3'],
    ],
    ['C10: an empty file', '', ['links.csv: no rows: a header and at least one row are required']],
    ['C10: one line end', '\n', ['links.csv: no rows: a header and at least one row are required']],
    ['C10: a header only', 'long_url\n', ['links.csv: no rows: a header and at least one row are required']],
    [
      'C14: semicolons between names of which one is unknown',
      `name;city\na;b\n`,
      [`links.csv:1: column long_url is missing; unknown columns: "city"; if one is meant, add --columns 'long_url=city'`],
    ],
    [
      'C14, I1: a first line that several delimiters fit',
      `long_url,x;note\n${url};a\n`,
      ["links.csv:1: several delimiters fit the first line: add --delimiter ',', ';', '|' or tab"],
    ],
    [
      'C06: no header, more cells',
      `abc,${url}\n`,
      ['links.csv:1: the first line is a URL, not column names: add a line of column names above it'],
    ],
    [
      'C14: commas where semicolons were said',
      `long_url,note\n${url},a\n`,
      [`links.csv:1: the delimiter looks like ",", use --delimiter ','`],
      { delimiter: ';' },
    ],
    [
      'C15: names that JavaScript objects have',
      `long_url,__proto__,constructor,toString\n${url},a,b,c\n`,
      [
        'links.csv:1:2: unknown column "__proto__"',
        'links.csv:1:3: unknown column "constructor"',
        'links.csv:1:4: unknown column "toString"',
      ],
      { strictColumns: true },
    ],
    [
      'C16, R 1.5.1: a hash twice',
      `long_url,custom_hash\n${url},abc\n${url},x\n${url},abc\n`,
      ['links.csv:4: custom_hash: "abc" is already on line 2'],
    ],
    [
      'C16: a hash twice in other letters',
      `long_url,custom_hash\n${url},abc\n${url},aBc\n`,
      ['links.csv:3: custom_hash: "aBc" differs only in case from the one on line 2'],
    ],
    ['B51: a row without its URL', `long_url,note\n,a\n`, ['links.csv:2: long_url is missing']],
    [
      'R-31: hash and custom_hash',
      `long_url,hash,custom_hash\n${url},a,\n`,
      ['links.csv:1:2: columns hash and custom_hash both set the hash: remove one of them'],
    ],
  ])('%s', async (_, text, expected, given) => {
    const { exitCode, lines } = await failure(check(text, given));
    expect(exitCode).toBe(2);
    const told = lines.length === 1 ? lines : lines.slice(1);
    expect(told).toHaveLength(expected.length);
    for (const [index, line] of told.entries()) expect(line).toContain(expected[index]);
  });

  test('issue 2: an unknown column and a bad date on line 17 are both named, with line and column', async () => {
    const good = `${url},2030-01-01,x\n`;
    const text = `long_url,expiration_date,colour\n${good.repeat(15)}${url},2025-02-30,x\n${good}`;
    const { lines } = await failure(check(text, { strictColumns: true }));
    expect(lines).toEqual([
      'links.csv: 2 problems, nothing was sent',
      expect.stringMatching(/^links\.csv:1:3: unknown column "colour"/),
      'links.csv:17:2: expiration_date: "2025-02-30" is not a date',
    ]);
  });

  test('R-28, B51: 20 places are named and the rest are counted, or all are named', async () => {
    const text = `long_url\n${'ftp://x.example\n'.repeat(1000)}`;
    expect((await failure(check(text, { listsAll: true }))).lines).toHaveLength(1001);
    const { lines } = await failure(check(text));
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe('links.csv: 1000 problems, nothing was sent');
    expect(lines[20]).toContain('links.csv:21:1: long_url: ');
    expect(lines[21]).toBe('... and 980 more problems; --dry-run lists all');
  });

  test('problems stand in the order of their lines, whatever was found first', async () => {
    const text = `long_url,custom_hash\n${url},abc\n${url},abc\nftp://x.example,\n`;
    expect((await failure(check(text))).lines.slice(1).map((line) => line.split(':')[1])).toEqual(['3', '4']);
  });

  test('warnings are bounded too', async () => {
    const { warnings } = await check(`long_url,expiration_date\n${`${url},2020-01-01\n`.repeat(50)}`);
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('... and 30 more warnings');
  });

  test('C07: good rows around a bad one are still checked', async () => {
    const { lines } = await failure(check(`long_url,note\n${url}\nftp://x.example,a\n${url},a\n${url},"b`));
    expect(lines.slice(1).map((line) => line.split(':')[1])).toEqual(['2', '3', '5']);
  });
});

describe('B91: fields and editions', () => {
  test('a field of edition A is accepted on B when it is empty or its default, and is not sent', async () => {
    expect((await rows(`long_url,max_clicks\n${url},0\n${url},\n`, { edition: 'b' })).map(({ item }) => item)).toEqual([
      { long_url: url },
      { long_url: url },
    ]);
  });

  test('I13, I4: columns that nobody knows are ignored and named', async () => {
    const text = `Colour,long_url,Clicks,Size\nred,${url},7,XL\n`;
    expect((await rows(text))[0]?.item).toEqual({ long_url: url });
    expect(await check(text)).toMatchObject({
      warnings: [],
      columns: 'columns: long_url -> long_url; not used: Clicks; unknown: Colour, Size',
      hasLosses: true,
    });
  });

  test('I11: on edition B a bound of clicks is counted as not carried over', async () => {
    const text = `long_url,max_clicks\n${url},5\n${url},0\n`;
    expect((await rows(text, { edition: 'b' })).map(({ item }) => item)).toEqual([{ long_url: url }, { long_url: url }]);
    expect((await check(text, { edition: 'b' })).columns).toBe('columns: not carried over: max_clicks (1 row)');
    expect((await failure(checkEdit('hash,max_clicks\na,5\n', { edition: 'b' }))).text).toContain('edition B');
  });

  test('C16: hashes that differ only in case may stand with --allow-case-duplicates, and in a listing', async () => {
    const text = (column: string) => `long_url,${column}\n${url},abc\n${url},aBc\n`;
    expect(await check(text('custom_hash'), { allowCaseDuplicates: true })).toMatchObject({ rows: 2, withHash: 2 });
    expect(await check(text('hash'))).toMatchObject({ rows: 2, withHash: 2 });
    expect((await failure(check(`long_url,hash\n${url},abc\n${url},abc\n`))).text).toContain('"abc" is already on line 2');
  });
});

describe('edits', () => {
  test.each<[string, string, string]>([
    ['no hash column', 'long_url\nhttps://example.com\n', 'edits.csv:1: column hash is missing'],
    ['an empty hash', 'hash,note\n,a\n', 'edits.csv:2: hash is missing'],
    ['R-31: a hash that is an address', 'hash,note\n..,a\n', 'edits.csv:2:1: hash: ".." is not a hash'],
    ['nothing to change', 'hash,short_url\nabc,\n', 'edits.csv:2: nothing to change'],
    ['nothing that this edition can change', 'hash,max_clicks\nabc,\n', 'edits.csv:2: nothing to change'],
    ['W2: only where a link led', 'hash,old_long_url\nabc,https://old.example/\n', 'edits.csv:2: nothing to change'],
    [
      'nothing to change, perhaps because of a name',
      'hash,coment\nabc,a\n',
      'edits.csv:2: nothing to change\ncolumns: hash -> hash; unknown: coment',
    ],
    ['a sign without a label', 'hash,tags\nabc,"a,-"\n', 'edits.csv:2:2: tags: a label is empty'],
    [
      'R-31: a label that no path can hold, attached with a sign',
      'hash,tags\nabc,"a,+.."\n',
      'edits.csv:2:2: tags: ".." is not a label',
    ],
    ['R-31: the same with blanks', 'hash,tags\nabc,"+ ."\n', 'tags: " ." is not a label'],
    [
      'two new hashes',
      'hash,new_hash,custom_hash\na,x,y\n',
      'edits.csv:2:3: custom_hash: both new_hash and custom_hash are given',
    ],
    ['two URLs renamed alike but for case, named as the flag is', 'hash,New Hash\na,x\nb,X\n', '"X" differs only in case'],
    ['the same URL twice', 'hash,note\nabc,1\nabc,2\n', 'edits.csv:3: hash: "abc" is already on line 2'],
    ['two URLs renamed alike', 'hash,custom_hash\na,x\nb,x\n', 'edits.csv:3: custom_hash: "x" is already on line 2'],
    [
      'C16: two URLs renamed alike but for case',
      'hash,custom_hash\na,x\nb,X\n',
      'edits.csv:3: custom_hash: "X" differs only in case',
    ],
  ])('%s is refused', async (_, text, expected) => {
    expect((await failure(checkEdit(text, { edition: 'b' }))).text).toContain(expected);
  });

  test('B21: a row whose cells are all empty is left as it is: the file can change links, this row changes none', async () => {
    const text = 'hash,note,old_long_url\na,,\nb,x,\nc,,https://old.example/\n';
    expect(await checkEdit(text)).toMatchObject({ rows: 3, skipped: 2, withOld: 1 });
    const read = await rows(text, { use: 'edit' });
    expect(read.map(({ skip }) => skip)).toEqual([{ status: 'unchanged' }, undefined, { status: 'unchanged' }]);
    expect((await rows(text, { use: 'edit', hasFlagValues: true })).map(({ skip }) => skip)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('R-47: a label that no path can hold can be detached, and comes back from a listing', async () => {
    const read = await rows('hash,tags\nabc,"..,-."\n', { use: 'edit' });
    expect(read[0]?.item).toEqual({ hash: 'abc', tags: ['+..', '-.'] });
    expect((await rows(`long_url,tags\n${url},"..,a"\n`))[0]?.item).toEqual({ long_url: url, tags: ['..', 'a'] });
  });

  test('existing hashes that differ only in case are two URLs, and a name may go round', async () => {
    expect(await checkEdit('hash,custom_hash\nabc,x1\nABC,x2\nx1,abc\n')).toMatchObject({ rows: 3, withHash: 3 });
  });
});

describe('bounded memory', () => {
  const endless = function* (start: string, piece: string) {
    yield start;
    for (;;) yield piece;
  };

  test.each<[string, Iterable<string>, string]>([
    [
      'C03: a quote that opens in row 2 of a million',
      endless(`long_url,note\n${url},"a\n`, `${url},b\n`.repeat(400)),
      'links.csv:2:2: a record is longer than 131072',
    ],
    [
      'C11: a cell of megabytes',
      endless(`long_url,note\n${url},`, 'x'.repeat(10_000)),
      'links.csv:2:2: a record is longer than 131072',
    ],
    ['C11: a header without end', endless('long_url,', 'x'.repeat(10_000)), 'links.csv:1:2: a record is longer than 131072'],
  ])('%s ends after 128 KiB with CSV_MAX_RECORD_SIZE', async (_, pieces, expected) => {
    const source = memorySource('links.csv', pieces);
    const { exitCode, text } = await failure(checkInput(source, optionsFor('shorten')));
    expect(exitCode).toBe(2);
    expect(text).toContain(expected);
    expect(text).toContain('CSV_MAX_RECORD_SIZE');
    expect(source.taken()).toBeLessThan(30);
  });
});
