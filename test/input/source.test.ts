import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import {
  appendFile,
  mkdir,
  open as openFile,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { KeptRows } from '../../src/files/kept-rows.ts';
import { checkInput, readRows } from '../../src/input/check-input.ts';
import { utf8Text } from '../../src/input/encoding.ts';
import type { Source } from '../../src/input/source.ts';
import { all, failure, memorySource, optionsFor, test, written } from './fixtures.ts';

async function content(source: Source): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of source.text()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const csv = 'long_url\nhttps://example.com/é\n';

describe('files', () => {
  test('a file is read as often as asked, and its digest is that of its bytes', async ({ folder, open }) => {
    const path = await written(folder, 'links.csv', `\ufeff${csv}`);
    const source = await open(path);
    expect(await content(source)).toBe(csv);
    expect(await content(source)).toBe(csv);
    expect(source.sha256()).toBe(createHash('sha256').update(`\ufeff${csv}`).digest('hex'));
    expect(source.name).toBe(path);
    expect(source.copyTo).toBeUndefined();
    source.discard();
    expect((await stat(path)).isFile()).toBe(true);
  });

  test.for([
    [`${csv}\x1a`, csv],
    [`${csv}\x1a\r\n`, csv],
    ['\x1a', ''],
    ['a\x1ab\n', 'a\x1ab\n'],
    [`${'x'.repeat(131_071)}\x1a\nend\n`, `${'x'.repeat(131_071)}\x1a\nend\n`],
    [`${'x'.repeat(131_070)}\n\x1a\r\n`, `${'x'.repeat(131_070)}\n`],
  ] as const)(
    'E74a: a Ctrl-Z with which a DOS program ended the text is no line, case %#',
    async ([written_, read], { folder, open }) => {
      expect(await content(await open(await written(folder, 'links.csv', written_)))).toBe(read);
    },
  );

  test('a symlink is followed', async ({ folder, open }) => {
    await symlink(await written(folder, 'links.csv', csv), join(folder, 'latest.csv'));
    expect(await content(await open(join(folder, 'latest.csv')))).toBe(csv);
  });

  test('C19: what is missing or a directory is the command line’s fault, exit 2', async ({ folder, open }) => {
    expect(await failure(open(join(folder, 'none.csv')))).toMatchObject({
      exitCode: 2,
      text: expect.stringMatching(/^cannot read .*none\.csv: no such file or folder$/),
    });
    expect(await failure(open(folder))).toMatchObject({ exitCode: 2, text: `${folder} is a directory` });
    expect(await failure(open(''))).toMatchObject({ exitCode: 2 });
  });

  const past = new Date(1_700_000_000_000);
  const changes: [string, (path: string) => Promise<unknown>][] = [
    ['grows', (path) => appendFile(path, 'https://example.com/2\n')],
    ['is cut', (path) => writeFile(path, 'long_url\n')],
    [
      'is replaced by an equal one',
      async (path) => {
        await writeFile(`${path}.new`, csv);
        await utimes(`${path}.new`, past, past);
        await rename(`${path}.new`, path);
      },
    ],
    [
      'is changed within the same length, its time put back',
      async (path) => {
        const { atime, mtime } = await stat(path);
        await writeFile(path, csv.replace('example', 'elpmaxe'));
        await utimes(path, atime, mtime);
      },
    ],
  ];
  test.for(changes)('F65: a file that %s between the check and the sending is exit 9', async ([, change], { folder, open }) => {
    const path = await written(folder, 'links.csv', csv);
    await utimes(path, past, past);
    const source = await open(path);
    const options = optionsFor('shorten');
    await checkInput(source, options);
    await change(path);
    const { exitCode, text } = await failure(all(readRows(source, options)));
    expect(exitCode).toBe(9);
    expect(text).toContain('changed while it was read');
  });

  test.for(changes.slice(0, 3))(
    'F65: that it %s is noticed before more of its rows are sent',
    async ([, change], { folder, open }) => {
      const path = await written(folder, 'links.csv', csv);
      await utimes(path, past, past);
      const source = await open(path);
      await checkInput(source, optionsFor('shorten'));
      expect(await source.changeError()).toBeUndefined();
      await change(path);
      expect(await source.changeError()).toMatchObject({ exitCode: 9 });
    },
  );

  test('F65, C19: a file that grows while it is read is exit 9, and nothing of the new bytes is used', async ({
    folder,
    open,
  }) => {
    const path = await written(folder, 'links.txt', 'https://example.com/page\n'.repeat(20_000));
    const source = await open(path);
    const reading = source.text();
    await reading.next();
    await appendFile(path, 'https://example.com/late\n');
    expect(await failure(reading.next())).toMatchObject({ exitCode: 9 });
  });

  test('F65: rows that no longer pass the check are exit 9, not sent', async () => {
    const options = optionsFor('shorten');
    expect(await failure(all(readRows(memorySource('links.csv', ['long_url\nftp://x\n']), options)))).toMatchObject({
      exitCode: 9,
      text: 'links.csv changed after it was checked: line 2 is now invalid',
    });
  });
});

describe('pipes', () => {
  const halves = [Buffer.from(csv.slice(0, 5)), Buffer.from(csv.slice(5))];

  test('B39: stdin is copied and can be read twice, and its digest is that of its bytes', async ({ open }) => {
    const source = await open('-', Readable.from(halves));
    expect(source.name).toBe('stdin');
    expect(await content(source)).toBe(csv);
    expect(await content(source)).toBe(csv);
    expect(source.sha256()).toBe(createHash('sha256').update(csv).digest('hex'));
    source.discard();
  });

  test('the copy of a pipe can be read again when a reading was broken off', async ({ open }) => {
    const long = csv.repeat(10_000);
    const source = await open('-', Readable.from([long]));
    for await (const _ of source.text()) break;
    expect(await content(source)).toBe(long);
    source.discard();
  });

  test('no file holds what came through a pipe, so nothing of it is left, whatever ends the program', async ({
    folder,
    open,
  }) => {
    const seen: string[][] = [];
    const watched = async function* () {
      for (const piece of [...halves, Buffer.from('')]) {
        yield piece;
        seen.push(await readdir(join(folder, 'state')));
      }
    };
    const source = await open('-', Readable.from(watched()));
    expect([...seen, await readdir(join(folder, 'state'))]).toEqual([[], [], [], []]);
    expect((await stat(join(folder, 'state'))).mode & 0o777).toBe(0o700);
    source.discard();
  });

  test('J8: a run is given a copy of a pipe, 0600, and no other file is written over', async ({ folder, open }) => {
    const source = await open('-', Readable.from(halves));
    const path = join(folder, 'input');
    await source.copyTo?.(path);
    expect(await readFile(path, 'utf8')).toBe(csv);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await failure(source.copyTo?.(path) ?? Promise.resolve())).toMatchObject({
      exitCode: 9,
      text: `cannot store a copy of stdin as ${path}: a file with this name already exists`,
    });
    source.discard();
  });

  test('B39: a path leaves stdin alone', async ({ folder, open }) => {
    const stdin = new Readable({
      read() {
        throw new Error('stdin was read');
      },
    });
    expect(await content(await open(await written(folder, 'links.csv', csv), stdin))).toBe(csv);
  });

  test('B42: the caller learns of a terminal before it is read, and of nothing else', async ({ open }) => {
    let heard = 0;
    const listen = () => {
      heard += 1;
    };
    await open('-', Readable.from([]), listen);
    expect(heard).toBe(0);
    await open('-', Object.assign(Readable.from([]), { isTTY: true }), listen);
    expect(heard).toBe(1);
  });

  test('C19: a FIFO is copied like stdin', async ({ folder, open }) => {
    const path = join(folder, 'links.fifo');
    execFileSync('mkfifo', [path]);
    const opened = open(path);
    createWriteStream(path).end(csv);
    const source = await opened;
    expect(source).toMatchObject({ name: path, copyTo: expect.any(Function) });
    expect(await content(source)).toBe(csv);
    expect(await content(source)).toBe(csv);
  });

  test('C19: /dev/zero and /dev/urandom end at once and leave no copy', async ({ folder, open }) => {
    expect(await failure(open('/dev/zero'))).toMatchObject({
      exitCode: 2,
      text: '/dev/zero is not a text file: NUL byte at offset 0',
    });
    expect(await failure(open('/dev/urandom'))).toMatchObject({ exitCode: 2 });
    expect(await readdir(join(folder, 'state'))).toEqual([]);
  });

  test('C20: a pipe that breaks midway is exit 2, and its copy is gone', async ({ folder, open }) => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from(csv);
        throw Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET' });
      })(),
    );
    expect(await failure(open('-', broken))).toMatchObject({
      exitCode: 2,
      text: 'stdin ended early, nothing was sent: connection reset by peer',
    });
    expect(await readdir(join(folder, 'state'))).toEqual([]);
  });

  test('a copy that cannot be written is exit 9', async ({ folder, open }) => {
    await writeFile(join(folder, 'state'), 'a file where the folder should be');
    expect(await failure(open('-', Readable.from([csv])))).toMatchObject({
      exitCode: 9,
      text: `cannot store a copy of stdin in ${join(folder, 'state')}: a file with this name already exists`,
    });
  });
});

describe('encodings', () => {
  const utf16 = (text: string, mark = '\ufeff') => Buffer.from(`${mark}${text}`, 'utf16le');

  test.for<[string, Buffer]>([
    ['C01: UTF-8 with a byte order mark', Buffer.from(`\ufeff${csv}`)],
    ['C08: UTF-16LE with a byte order mark', utf16(csv)],
  ])('%s is accepted', async ([, bytes], { folder, open }) => {
    expect(await content(await open(await written(folder, 'links.csv', bytes)))).toBe(csv);
  });

  test.for<[string, Buffer, string]>([
    ['C08: UTF-16LE without a mark', utf16(csv, ''), 'file is not UTF-8: it looks like UTF-16 or UTF-32'],
    ['C08: UTF-16BE', utf16(csv).swap16(), 'file is not UTF-8: it looks like UTF-16 or UTF-32'],
    ['C08: UTF-16BE without a mark', utf16(csv, '').swap16(), 'file is not UTF-8: it looks like UTF-16 or UTF-32'],
    ['R-29: UTF-32LE', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'file is not UTF-8'],
    ['C08: UTF-16LE that ends within a character', utf16(csv).subarray(0, -1), 'is not valid UTF-16'],
    ['C08: Latin-1', Buffer.from(csv, 'latin1'), 'file is not UTF-8: invalid byte e9 at offset 29'],
    ['C09: an invalid byte', Buffer.from([0x61, 0x62, 0xff, 0x63]), 'file is not UTF-8: invalid byte ff at offset 2'],
    ['C09: a lone surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]), 'file is not UTF-8: invalid byte ed at offset 1'],
    ['C09: an overlong form', Buffer.from([0x61, 0xc0, 0xaf]), 'file is not UTF-8: invalid byte c0 at offset 1'],
    ['C09: a character cut off by the end', Buffer.from([0x61, 0xf0, 0x9f, 0x98]), 'invalid byte f0 at offset 1'],
    ['C09: a NUL byte', Buffer.from('\ufeffhttps://example.com/\0'), 'is not a text file: NUL byte at offset 23'],
    ['C19: gzip', gzipSync(csv), 'is a gzip file: unpack it first'],
    [
      'C19: an .xlsx workbook',
      Buffer.from('PK\u0003\u0004....'),
      'is a zip file or an .xlsx workbook: export it as CSV (UTF-8) first',
    ],
    ['C19: an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'is an old Excel workbook'],
    ['C19: a web page', Buffer.from('\ufeff\n <!DOCTYPE html><html>'), 'is an HTML or XML file, not a list of URLs'],
  ])('%s is refused, exit 2', async ([, bytes, reason], { folder, open }) => {
    const source = await open(await written(folder, 'links.csv', bytes));
    const { exitCode, text } = await failure(content(source));
    expect(exitCode).toBe(2);
    expect(text).toContain(reason);
  });

  test.for<[string, Buffer, string | undefined]>([
    ['UTF-16LE without a mark', utf16(csv, ''), 'utf-16le'],
    ['UTF-16BE', utf16(csv).swap16(), 'utf-16be'],
    ['UTF-16BE without a mark', utf16(csv, '').swap16(), 'utf-16be'],
    ['UTF-32LE', Buffer.from('\ufeff\0a\0', 'utf16le'), undefined],
    ['UTF-32LE without a mark', Buffer.from('a\0b\0', 'utf16le'), undefined],
    ['UTF-32BE', Buffer.from('\0\ufeff\0a', 'utf16le').swap16(), undefined],
  ])('C08: the hint for %s names the encoding that reads it', async ([, bytes, encoding], { folder, open }) => {
    const path = await written(folder, 'links.csv', bytes);
    const set = encoding === undefined ? '' : `, or with -f set its encoding, such as --encoding ${encoding}`;
    const hint = `save it as UTF-8 ("CSV UTF-8" in spreadsheets)${set}`;
    await expect(content(await open(path))).rejects.toMatchObject({ hint });
    if (encoding === undefined) return;
    const decoded = await Readable.from(utf8Text(Readable.from([bytes]), 'links.csv', encoding)).toArray();
    expect(Buffer.concat(decoded).toString()).toBe(csv);
  });

  test('C09: the offset is right far into the file', async ({ folder, open }) => {
    const path = await written(folder, 'links.txt', Buffer.concat([Buffer.from('é'.repeat(300_000)), Buffer.from([0xe9, 0x0a])]));
    expect((await failure(content(await open(path)))).text).toContain('invalid byte e9 at offset 600000');
  });

  test('a source that is refused, or read in part, is closed', async () => {
    let closed = 0;
    const bytes = async function* (text: string) {
      try {
        for (;;) yield Buffer.from(text.repeat(100));
      } finally {
        closed += 1;
      }
    };
    await failure(utf8Text(bytes('PK\u0003\u0004'), 'links.csv').next());
    await failure(utf8Text(bytes('a\0'), 'links.csv').next());
    for await (const _ of utf8Text(bytes('a'), 'links.csv')) break;
    expect(closed).toBe(3);
  });

  test('characters are whole however the bytes arrive', async () => {
    const text = `\ufeff${'aé例😀'.repeat(40)}`;
    const pieces = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    for await (const piece of memorySource('stdin', pieces).text()) {
      expect(piece.toString()).not.toContain('\ufffd');
    }
    expect(await content(memorySource('stdin', pieces))).toBe(text.slice(1));
  });

  test('a file that is not text is refused before much of it is read', async ({ folder, open }) => {
    const path = join(folder, 'sparse.csv');
    const handle = await openFile(path, 'w');
    await handle.truncate(2 ** 34);
    await handle.close();
    expect((await failure(content(await open(path)))).text).toContain('NUL byte at offset 0');
  });
});

test('a folder of the path that is not there is named', async ({ folder, open }) => {
  await mkdir(join(folder, 'a'));
  expect((await failure(open(join(folder, 'a', 'b', 'links.csv')))).text).toContain('no such file or folder');
});

describe('rows that were checked', () => {
  test('come back in the batches in which they were kept, as often as asked', ({ folder }) => {
    const kept = new KeptRows(folder, { randomBytes });
    const batches = [
      [{ line: 2, item: { note: 'é\ud83d\ude00\n', tags: ['a', 'b'], expiration_date: null } }],
      [],
      [{ line: 3 }],
    ];
    for (const batch of batches) kept.add(batch);
    expect([...kept.read()]).toEqual(batches);
    expect([...kept.read()]).toEqual(batches);
    kept.close();
  });

  test('are for nobody else’s eyes, and no file of them is left, whatever ends the program', async ({ folder }) => {
    const place = join(folder, 'state');
    const kept = new KeptRows(place, { randomBytes });
    kept.add([{ line: 2 }]);
    expect(await readdir(place)).toEqual([]);
    expect((await stat(place)).mode & 0o777).toBe(0o700);
    kept.close();
  });

  test('are refused by a place that takes no file: exit 9, and the place is named', async ({ folder }) => {
    const place = await written(folder, 'state', 'a file where the folder should be');
    const { exitCode, text } = await failure((async () => new KeptRows(place, { randomBytes }))());
    expect(exitCode).toBe(9);
    expect(text).toBe(`cannot store the checked rows in ${place}: a file with this name already exists`);
  });
});
