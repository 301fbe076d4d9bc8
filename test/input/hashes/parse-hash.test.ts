import { describe, expect, test } from 'vitest';
import { startTally } from '../../../src/bulk/results/row-outcome.ts';
import { linkText } from '../../../src/contract/link.ts';
import { secondHeader } from '../../../src/input/csv/second-header.ts';
import { type LinkUse, type NamedAccount, resolveOperands } from '../../../src/input/domain-resolver.ts';
import { listingColumns } from '../../../src/input/fields/members.ts';
import { checkHashFile } from '../../../src/input/hash-file.ts';
import { parseHash } from '../../../src/input/hashes/parse-hash.ts';
import { urlColumns } from '../../../src/output/url-columns.ts';
import { all, failure, memorySource } from '../fixtures.ts';

test.each([
  ['abc', { hash: 'abc' }],
  ['-abc', { hash: '-abc' }],
  ['s.ex/abc', { hash: 'abc', domain: 's.ex' }],
  ['https://s.ex/abc', { hash: 'abc', domain: 's.ex' }],
  ['HTTP://S.EX/aBc', { hash: 'aBc', domain: 's.ex' }],
  ['https://s.ex/abc/', { hash: 'abc', domain: 's.ex' }],
  ['https://s.ex/abc?utm_source=x&to=/a/b', { hash: 'abc', domain: 's.ex' }],
  ['https://s.ex/abc/?x=1#top', { hash: 'abc', domain: 's.ex' }],
  ['https://s.ex/abc#top', { hash: 'abc', domain: 's.ex' }],
  ['http://127.0.0.1:8080/abc', { hash: 'abc', domain: '127.0.0.1:8080' }],
  ['bücher.example/abc', { hash: 'abc', domain: 'xn--bcher-kva.example' }],
  ['xn--bcher-kva.example/abc', { hash: 'abc', domain: 'xn--bcher-kva.example' }],
  ['s.ex/é', { hash: 'é', domain: 's.ex' }],
])('CLI 3.5, B97: %s is %j', (text, operand) => {
  expect(parseHash(text)).toEqual(operand);
});

test.each([
  '',
  '.',
  '..',
  '/',
  '/abc',
  's.ex/',
  's.ex/..',
  's.ex/.',
  'https://s.ex/',
  'https://s.ex',
  'https://',
  'https://s.ex/a/b',
  's.ex/abc?x=1',
  's.ex/abc#top',
  's.ex/abc/',
  'https://s.ex/abc//',
  'https://s.ex/..?x=1',
  'https://s.ex/../',
  'https://s.ex/?x=1',
  'https://s.ex?x=/abc',
  'https://s.ex/a/b?x=1',
  'a,b',
  'a b',
  'a\n',
  '\u0000',
  'ftp://s.ex/abc',
  'https://ann:secret@s.ex/abc',
  'a b/abc',
  's.ex:999999/abc',
])('R-31: %j is refused, exit 2', async (text) => {
  const told = await failure((async () => parseHash(text))());
  expect(told.exitCode).toBe(2);
  expect(told.text).toContain('is not a hash or a short URL');
  expect(told.text).not.toContain('secret');
});

test.each([
  ['https://e.ex/a/b?x=1', "to find links by destination: linkctl list --search 'https://e.ex/a/b?x=1'"],
  ['https://e.ex/@ann/b', 'to find links by destination: linkctl list --search https://e.ex/@ann/b'],
  ['https://ann:secret@s.ex/a/b', undefined],
  ['s.ex/a/b', undefined],
])('a long URL in the place of a short one has a hint to search for it: %s', (text, hint) => {
  expect(() => parseHash(text)).toThrow(expect.objectContaining({ hint }));
});

const anywhere: NamedAccount = {
  edition: 'a',
  domain: undefined,
  domainNamed: false,
  domains: async () => ({ names: ['s.ex', 't.ex'], defaultDomain: 's.ex' }),
  foreignHost: async () => undefined,
};
const onSex = { ...anywhere, domain: 's.ex' };
const unlisted: NamedAccount = { ...anywhere, domains: async () => ({ names: [], defaultDomain: undefined }) };

test.each([
  ['edition A without a working domain', anywhere, ['s.ex/a', 't.ex/a', 's.ex/A']],
  ['the working domain given twice', onSex, ['s.ex/a', 't.ex/a', 's.ex/A']],
  ['edition B', { ...anywhere, edition: 'b' } as const, ['a', 'A']],
])('D19: two spellings of one URL are one: %s', async (_, account, expected) => {
  const { targets } = await resolveOperands(['a', 's.ex/a', 'a', 'https://S.EX/a', 't.ex/a', 'A'], account, 'reading');
  expect(targets.map(linkText)).toEqual(expected);
});

test('CLI 3.5: a short URL that contradicts --domain is refused', async () => {
  const named = { ...onSex, domainNamed: true };
  expect(await failure(resolveOperands(['t.ex/a'], named, 'reading'))).toMatchObject({
    exitCode: 2,
    text: 't.ex/a is not on --domain s.ex',
  });
});

async function listed(pieces: readonly string[]): Promise<string[]> {
  const file = await checkHashFile(memorySource('hashes.txt', pieces), unlisted, 'reading');
  const found = (await all(file.open())).map(({ line, item }) => `${line} ${linkText(item)}`);
  expect(found).toHaveLength(file.rows);
  return found;
}

test.each([
  ['lines; blank ones and comments are skipped', '# old\nabc\r\n\n  s.ex/def \n', ['2 abc', '4 s.ex/def']],
  ['repetitions are skipped', 'abc\nabc\ns.ex/d\nhttps://s.ex/d\n', ['1 abc', '3 s.ex/d']],
  ['the csv of a listing', 'hash,short_url,note\nabc,s.ex/abc,"a\nb"\ndef,s.ex/def,\n', ['2 s.ex/abc', '4 s.ex/def']],
  ['csv that says the domain', 'hash,domain\nabc,t.ex\ndef,\ns.ex/g,s.ex\n', ['2 t.ex/abc', '3 def', '4 s.ex/g']],
  ['csv whose short URLs say the domain', 'domain,hash,short_url\nt.ex,abc,t.ex/abc\nt.ex,def,\n', ['2 t.ex/abc', '3 t.ex/def']],
  ['short URLs of another form say the domain of the hash beside them', 'hash,short_url\nabc,s.ex/go/abc\n', ['2 s.ex/abc']],
  ['a domain that is spelled in another way stays another one', 'hash,short_url\nabc,s.ex./abc\n', ['2 s.ex./abc']],
  ['failed rows, fed back', 'hash,error_code,error_message\nabc,1306,"no, not there"\n', ['2 abc']],
])('CLI 3.6: a list of hashes: %s', async (_, text, expected) => {
  expect(await listed([text.slice(0, 5), text.slice(5)])).toEqual(expected);
});

test.each([
  ['csv or tsv of one column, headed', 'hash\nabc\ndef\n', ['2 abc', '3 def']],
  ['the same of short URLs', 'short_url\ns.ex/abc\n', ['2 s.ex/abc']],
  ['the same with the scheme', 'short_url_with_protocol\nhttps://s.ex/abc\n', ['2 s.ex/abc']],
  ['a head behind comments and blank lines', '# mine\r\n\r\nhash\r\nabc\r\n', ['4 abc']],
  ['a link called short_url, behind a head', 'hash\nabc\nshort_url\n', ['2 abc', '3 short_url']],
  ['a link called hash on the second line', 'abc\nhash\n', ['1 abc', '2 hash']],
  ['a link called hash as its short URL', 's.ex/hash\n', ['1 s.ex/hash']],
  ['tsv with a head', 'long_url\thash\tshort_url\nhttps://e.x\tabc\ts.ex/abc\n', ['2 s.ex/abc']],
  ['csv with semicolons', '"hash";"note"\n"abc";"a,b"\ndef;\n', ['2 abc', '3 def']],
  ['C06: csv as a spreadsheet names its columns', 'Hash , Note\nabc,x\n', ['2 abc']],
  ['C06: the same of short URLs on a domain', 'Domain,SHORT_URL,Hash\ns.ex,,abc\n', ['2 s.ex/abc']],
  ['csv with bars', 'short_url|note\ns.ex/abc|x\n', ['2 s.ex/abc']],
  ['csv of one quoted column', '"hash"\n"abc"\n', ['2 abc']],
  ['a link with a semicolon in its hash', 'a;b\nhash;\n', ['1 a;b', '2 hash;']],
  ['csv with separators at the ends of lines', 'hash,note\nabc,x,,\n', ['2 abc']],
  ['csv without short URLs in some rows', 'hash,short_url\nabc,\ndef,s.ex/def\n', ['2 abc', '3 s.ex/def']],
  ['a table of one column', 'SHORT URL\ns.ex/abc\ns.ex/defghi\n', ['2 s.ex/abc', '3 s.ex/defghi']],
  ['a table of hashes', 'HASH\nabc\n', ['2 abc']],
  ['jsonl', '{"hash":"abc","short_url":"s.ex/abc"}\n\n{"hash":"hash"}\n', ['1 s.ex/abc', '3 hash']],
  ['jsonl whose first member is a list', '{"tags":[],"short_url":"s.ex/abc"}\n', ['1 s.ex/abc']],
  ['jsonl that says the domain', '{"hash":"abc","domain":"t.ex"}\n', ['1 t.ex/abc']],
  ['json', '{"urls":[{"short_url":"s.ex/abc"},{"hash":"null"}],"page":{"offset":0}}\n', ['1 s.ex/abc', '1 null']],
  ['json as a terminal has it', '{\n  "urls": [\n    {\n      "hash": "abc"\n    }\n  ]\n}\n', ['3 abc']],
])('D17: what list prints in any format names the links that it lists: %s', async (_, text, expected) => {
  expect(await listed([text.slice(0, 5), text.slice(5)])).toEqual(expected);
});

test.each(['hash,note\n', 'hash\n', 'SHORT URL\n', '[]', '{"urls":[],"page":{}}\n'])(
  'B22: %j is the listing of a selection without links',
  async (text) => {
    expect(await listed([text])).toEqual([]);
  },
);

test('D17: every column of a listing is known as a head', () => {
  expect([...listingColumns].filter((name) => name !== 'custom_hash' && name !== 'error').sort()).toEqual(
    urlColumns.map(({ name }) => name).sort(),
  );
});

test('D17: a json document of any length is read', async () => {
  const urls = Array.from({ length: 5_000 }, (_, index) => ({ hash: `h${index}`, short_url: `s.ex/h${index}` }));
  expect(await listed([JSON.stringify({ urls })])).toHaveLength(5_000);
});

test.each([
  ['abc\n\n..\n', 'hashes.txt:3: ".." is not a hash or a short URL'],
  ['abc\na,b\n', 'hashes.txt:2: "a,b" is not a hash or a short URL'],
  ['note,tags\na,b\n', 'hashes.txt:1: column hash is missing: "note tags" is read as the header'],
  ['hash,note\n,x\n', 'hashes.txt:2: hash is missing'],
  ['', 'hashes.txt: no hashes'],
  ['# nothing\n\n', 'hashes.txt: no hashes'],
  ['note\nabc\n', 'hashes.txt:1: column hash is missing: "note" is read as the header'],
  ['note\ttags\na\tb\n', 'hashes.txt:1: column hash is missing: "note tags" is read as the header'],
  ['abc\ts.ex/abc\n', 'hashes.txt:1: more than one column: create the file with linkctl list --fields short_url or -o csv'],
  ['hash\ts.ex/hash\n', 'hashes.txt:1: more than one column: create the file with linkctl list --fields short_url or -o csv'],
  [
    'HASH  LONG URL\nabc   https://e.x\n',
    'hashes.txt:1: more than one column: create the file with linkctl list --fields short_url or -o csv',
  ],
  ['abc\ndef\tx\n', 'hashes.txt:2: "def\\tx" is not a hash or a short URL'],
  ['{"note":"x"}\n', 'hashes.txt:1: hash is missing'],
  ['{"hash":"abc"}\nabc\n', 'hashes.txt:2: expected a JSON object with hash or short_url'],
  ['{"urls":[{"note":"x"}]}\n', 'hashes.txt:1: hash is missing'],
  ['hash,short_url\nold,s.ex/keep\n', /^hashes\.txt:2: "old" does not match "s\.ex\/keep"/],
  ['hash\tshort_url\nold\ts.ex/keep\n', /^hashes\.txt:2: "old" does not match "s\.ex\/keep"/],
  ['{"hash":"old","short_url":"s.ex/keep"}\n', /^hashes\.txt:1: "old" does not match "s\.ex\/keep"/],
  [
    '{"hash":"abc","short_url":"s.ex/abc","short_url_with_protocol":"https://t.ex/abc"}',
    'hashes.txt:1: "abc" has two domains, t.ex and s.ex',
  ],
  [
    'short_url,short_url_with_protocol\ns.ex/a,https://s.ex/b\n',
    /^hashes\.txt:2: "s\.ex\/a" does not match "https:\/\/s\.ex\/b"/,
  ],
  ...['hash,note', 'hash', 'short_url', 'hash\tnote', 'hash;note', 'SHORT URL', 'row,hash'].map((header): [string, string] => [
    `${header}\n${header.replace(/\w+/g, 's.ex/abc').replace(/ .*/, '')}\n${header}\n`,
    `hashes.txt:3: ${secondHeader}`,
  ]),
  ['hash,note\nabc,x\ntags,hash\n', `hashes.txt:3: ${secondHeader}`],
  ['hash,note,hash\na,x,b\n', 'hashes.txt:1: duplicate column hash'],
  ['note,hash\nnice,h5,h1\n', 'hashes.txt:2: expected 2 cells, got 3'],
  ['hash\tnote\nabc\n', 'hashes.txt:2: expected 2 cells, got 1'],
  ['domain,short_url\nt.ex,s.ex/abc\n', 'hashes.txt:2: "s.ex/abc" has two domains, s.ex and t.ex'],
  ['{"hash":"abc","short_url":"s.ex/abc","domain":"t.ex"}\n', 'hashes.txt:1: "abc" has two domains, s.ex and t.ex'],
  ['{"urls":[{"hash":"abc"}\n', 'hashes.txt:2: not valid JSON: unexpected end'],
  [
    '{"tags":[]}\nabc',
    'hashes.txt:2: expected a JSON object on each line, an array of objects, or an object with one such array',
  ],
])('R-31, R-52: %j is refused as a list', async (text, complaint) => {
  const told = typeof complaint === 'string' ? complaint : expect.stringMatching(complaint);
  expect(await failure(listed([text]))).toMatchObject({ exitCode: 2, text: told });
});

test.each(['sel.json', 'sel.JSONL', 'sel.ndjson'])(
  'D17, R-31: %s is JSON by its extension, so null in it is no hash',
  async (name) => {
    const file = checkHashFile(memorySource(name, ['null\n']), unlisted, 'reading');
    const text = expect.stringMatching(/:1: expected a JSON object/);
    expect(await failure(file)).toMatchObject({ exitCode: 2, text });
  },
);

const leftAlone = ['existing', 'skipped', 'failed', 'unknown', 'not_sent'];

test('F1: the statuses of rows are those of links that a run made, changed or found as asked, and of those that it left alone', () => {
  const done = ['created', 'changed', 'unchanged', 'deleted', 'reset'];
  expect([...done, ...leftAlone].sort()).toEqual(Object.keys(startTally().counts).sort());
});

describe.each(Object.keys(startTally().counts))('F1: the row of a run, which is %s', (status) => {
  test.each([
    ['csv', `row,status,hash,short_url,code,message\n1,${status},abc,s.ex/abc,0,\n`, 2],
    ['csv without a hash', `row,status,hash,short_url,code,message\n1,${status},,,0,\n`, 2],
    ['JSON of failed rows', `{"urls":[{"status":"${status}","hash":"abc","short_url":"s.ex/abc","error":{}}]}`, 1],
    ['JSON of rows of a file', `{"urls":[{"line":1,"status":"${status}","hash":"abc"}]}`, 1],
    ['JSON of links', `{"urls":[{"status":"${status}","hash":"abc","short_url_with_protocol":"https://s.ex/abc"}]}`, 1],
    ['JSON lines without a hash', `{"row":1,"status":"${status}","hash":"","code":0,"message":""}\n`, 1],
  ])('names a link to change only if the run dealt with it: %s', async (kind, text, line) => {
    const checked = (use: LinkUse) => checkHashFile(memorySource('r', [text]), unlisted, use);
    const named = kind.endsWith('without a hash') ? { text: `r:${line}: hash is missing` } : undefined;
    if (leftAlone.includes(status)) {
      const told = await failure(checked('listed change'));
      expect(told).toMatchObject({
        exitCode: 2,
        text: `r:${line}: ${status}: the run did not make or change ${named ? 'this link' : '"abc"'}`,
      });
    } else if (!named) expect((await checked('listed change')).rows).toBe(1);
    if (named) expect(await failure(checked('reading'))).toMatchObject(named);
    else expect((await checked('reading')).rows).toBe(1);
  });
});

test.each([
  'hash,status,http_status\nabc,skipped,\n',
  'short_url,status\ns.ex/abc,skipped\n',
  'row,status,hash,short_url,long_url,http_status,final_url,milliseconds,reason\n1,not_sent,abc,s.ex/abc,,,,,\n',
  '{"checks":[{"hash":"abc","status":"skipped"}]}',
  '{"hash":"abc","status":"not_sent","http_status":null}\n',
])('F1, K5: links that a check skipped are named like its other links: %j', async (text) => {
  expect((await checkHashFile(memorySource('r', [text]), unlisted, 'listed change')).rows).toBe(1);
});

test.each(['existing', 'failed', 'unknown'])(
  'F1: a status that no check has counts in a cut list of results: %s',
  async (status) => {
    const file = checkHashFile(memorySource('r', [`status,hash\n${status},abc\n`]), unlisted, 'listed change');
    expect(await failure(file)).toMatchObject({ exitCode: 2, text: `r:2: ${status}: the run did not make or change "abc"` });
  },
);

test('a list of 20,000 hashes comes in parts', async () => {
  const pieces = Array.from({ length: 20 }, (_, piece) =>
    Array.from({ length: 1000 }, (_, index) => `h${piece}-${index}\n`).join(''),
  );
  const file = await checkHashFile(memorySource('hashes.txt', pieces), unlisted, 'reading');
  let parts = 0;
  for await (const rows of file.open()) parts += Number(rows.length > 0);
  expect([file.rows, parts]).toEqual([20_000, 20]);
});
