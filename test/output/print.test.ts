import { describe, expect, test } from 'vitest';
import { LocalError, NotFoundError, PartialError, RejectedError, UsageError } from '../../src/base/errors.ts';
import { printReport } from '../../src/output/print.ts';
import type { Column, DoneReport, RecordReport, Row, RowsReport } from '../../src/output/report.ts';
import { failing, listing, url, urls } from './listing.ts';
import { createWorld, print, type WorldOptions } from './world.ts';

const terminal: WorldOptions = { stdout: { isTTY: true, columns: 80 }, stderr: { isTTY: true }, env: { NO_COLOR: '1' } };

describe('rows of a change', () => {
  const columns: readonly Column[] = [{ name: 'short_url' }, { name: 'hash' }];
  const refused = (row: Row): RejectedError | undefined =>
    row.error ? new RejectedError(`${row.hash}: taken`, { apiCode: 1215, hint: 'choose another' }) : undefined;
  const change = (rows: readonly Row[], others: Partial<RowsReport> = {}): RowsReport => ({
    kind: 'rows',
    key: 'urls',
    rows,
    columns,
    tableFields: ['short_url'],
    pipedFields: ['short_url'],
    sentence: (row, { tick, arrow }) => `${tick} ${row.short_url} ${arrow} ${row.long_url}`,
    failure: refused,
    ...others,
  });
  const bad = { hash: 'bad', error: { code: 1215 } };

  test('B26: on a terminal each success is a sentence, each failure a line on stderr', async () => {
    const { stdout, stderr } = await print(change([url('abc', { long_url: 'x\u001b[2J' }), bad]), terminal);
    expect(stdout).toBe('✓ s.ex/abc → x\\x1b[2J\n');
    expect(stderr).toBe('error: bad: taken [API 1215]\nhint: choose another\n');
  });

  test('B96: without UTF-8 the sentence is ASCII; with colour the tick is green', async () => {
    expect((await print(change([url('a')]), { ...terminal, env: { LC_ALL: 'C', NO_COLOR: '1' } })).stdout).toMatch(
      /^OK s\.ex\/a -> /,
    );
    expect((await print(change([url('a')]), { ...terminal, env: {} })).stdout).toMatch(/^\u001b\[32m✓\u001b\[39m s/);
  });

  test('B26: in a pipe it is the short URL of each success, nothing else', async () => {
    expect(await print(change([url('abc'), bad, url('def')]))).toMatchObject({ stdout: 's.ex/abc\ns.ex/def\n' });
  });

  test('B26, D44: -q silences stderr only: rows are printed and failures reported', async () => {
    const options = { quiet: true };
    const shown = await print(change([url('abc')]), { ...terminal, options });
    expect(shown).toEqual({ stdout: expect.stringMatching(/^✓ s\.ex\/abc → /), stderr: '', error: undefined });
    expect(await print(change([url('abc')]), { options })).toEqual({ stdout: 's.ex/abc\n', stderr: '', error: undefined });
    expect((await print(change([bad]), { options })).stderr).toContain('error: bad: taken');
    expect((await print(change([url('abc')]), { options: { ...options, format: 'tsv' } })).stdout).toBe('s.ex/abc\n');
    expect((await print(listing([url('abc')]), { options: { ...options, fields: ['hash'] } })).stdout).toBe('abc\n');
  });

  test('B17: -o table is the sentences on a terminal; a table in a pipe, or of chosen fields', async () => {
    const options = { format: 'table' } as const;
    expect((await print(change([url('abc')]), { ...terminal, options })).stdout).toMatch(/^✓ /);
    expect((await print(change([url('abc')]), { ...terminal, options: { fields: ['hash'] } })).stdout).toBe('HASH\nabc\n');
    expect((await print(change([url('abc')]), { options })).stdout).toBe('SHORT URL\ns.ex/abc\n');
  });

  test('B26, D36: a run of more than 20 rows lists none on a terminal, and says what does', async () => {
    const rows = [...Array.from({ length: 21 }, (_, index) => url(`h${index}`)), bad];
    const report = (more: Partial<RowsReport> = {}) => change(rows, { runRows: rows.length, ...more });
    const lines = async (world: WorldOptions, more: Partial<RowsReport> = {}) =>
      (await print(report(more), world)).stdout.split('\n').length - 1;
    const shown = await print(report({ notes: () => ['22 rows: 21 created, 1 failed'] }), terminal);
    expect(shown).toMatchObject({
      stdout: '',
      stderr:
        'rows are not listed on a terminal; to get them, use --results <file>, -o or a\npipe\n' +
        'error: bad: taken [API 1215]\nhint: choose another\n22 rows: 21 created, 1 failed\n',
    });
    expect((await print(report({ resultsIn: 'done.csv' }), terminal)).stderr).not.toContain('not listed');
    expect(await lines(terminal, { runRows: 20 })).toBe(21);
    for (const options of [{ format: 'table' }, { format: 'tsv' }] as const) {
      expect(await lines({ ...terminal, options })).toBe(21);
    }
    expect(await lines({ ...terminal, options: { fields: ['hash'] } })).toBe(22);
    expect(await lines({})).toBe(21);
  });

  test('JSON holds failures in their place, whatever fields were chosen, and reports none of them on stderr', async () => {
    const rows = [url('abc'), bad];
    const whole = await print(change(rows), { options: { format: 'json' } });
    expect(JSON.parse(whole.stdout)).toEqual({ urls: rows });
    expect(whole.stderr).toBe('');
    const chosen = await print(change(rows), { options: { format: 'jsonl', fields: ['hash'] } });
    expect(chosen.stdout).toBe('{"hash":"abc"}\n{"hash":"bad","error":{"code":1215}}\n');
  });

  test('B50: five failures of a kind are reported, the rest counted, the hint once at the end', async () => {
    const rows = Array.from({ length: 125 }, (_, index) => ({ ...bad, hash: `h${index}` }));
    const { stderr } = await print(change(rows, { failuresIn: 'results.jsonl' }));
    expect(stderr.split('\n')).toEqual([
      ...[0, 1, 2, 3, 4].map((index) => `error: h${index}: taken [API 1215]`),
      '… and 120 more [API 1215] (see results.jsonl)',
      'hint: choose another',
      '',
    ]);
  });

  test('B46, B50: the details of a failed row follow its error, those that its kind has already shown once', async () => {
    const rows = ['a', 'b', 'c'].map((hash) => ({ ...bad, hash }));
    const failure = ({ hash }: Row): RejectedError =>
      new RejectedError(`${hash}: taken`, { details: ['server message: No', ...(hash === 'c' ? ['server message: c'] : [])] });
    const { stderr } = await print(change(rows, { failure }));
    expect(stderr).toBe('error: a: taken\nserver message: No\nerror: b: taken\nerror: c: taken\nserver message: c\n');
  });

  test('B50: a server that makes up codes without end cannot fill the screen', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ hash: `h${index}` }));
    const failure = ({ hash }: Row): RejectedError =>
      new RejectedError(`${hash}: refused`, { apiCode: Number(String(hash).slice(1)) });
    const { stderr } = await print(change(rows, { failure }));
    expect(stderr.split('\n').length).toBeLessThan(60);
    expect(stderr).toContain('… and 9945 more\n');
  });

  test('B90: notes and the outcome come last, in this order; -q keeps the notes of a failure', async () => {
    const outcome = new PartialError('1 of 2 rows failed');
    const report = (): RowsReport =>
      change([url('abc'), bad], { notes: () => ['2 rows: 1 created, 1 failed'], outcome: () => outcome });
    const { stderr, error } = await print(report());
    expect(stderr).toBe('error: bad: taken [API 1215]\nhint: choose another\n2 rows: 1 created, 1 failed\n');
    expect(error).toBe(outcome);
    expect((await print(report(), { options: { quiet: true } })).stderr).toContain('2 rows');
  });
});

test('B28: a note on a listing is reported, made safe, and silenced by -q', async () => {
  const report = listing([url('abc')], { notes: () => ['Showing 1 of 2\u0007'] });
  expect((await print(report)).stderr).toBe('Showing 1 of 2\\x07\n');
  expect((await print(report, { options: { quiet: true } })).stderr).toBe('');
});

test('B18: an unknown field is reported before a row is read', async () => {
  let read = false;
  async function* rows(): AsyncGenerator<Row[]> {
    read = true;
    yield [url('abc')];
  }
  for (const format of ['json', 'jsonl', 'csv', 'tsv', 'table'] as const) {
    const { error, stdout } = await print(listing(rows()), { options: { format, fields: ['nope'] } });
    expect(error).toBeInstanceOf(UsageError);
    expect(stdout).toBe('');
  }
  expect(read).toBe(false);
});

describe('a reader that goes away', () => {
  const pipe = { stdout: { breaks: { after: 1, code: 'EPIPE' } } };

  test.each(['json', 'jsonl', 'csv', 'tsv', 'table'] as const)(
    'B40: %s ends in silence, and asks for no further page',
    async (format) => {
      let pages = 0;
      let closed = false;
      async function* paged(): AsyncGenerator<Row[]> {
        try {
          for (; pages < 100; pages++) {
            // The second page has arrived before the first is drawn, as on a busy machine.
            if (pages !== 1) await new Promise((resolve) => setTimeout(resolve, 2));
            yield urls(500);
          }
        } finally {
          closed = true;
        }
      }
      const report = listing(paged(), { notes: () => ['a note'], outcome: () => new NotFoundError('never seen') });
      expect(await print(report, { ...pipe, options: { format } })).toMatchObject({ stderr: '', error: undefined });
      expect(pages).toBeLessThan(4);
      expect(closed).toBe(true);
    },
  );

  test('B40: a change says how to resume', async () => {
    const told = new LocalError('the output was closed', { hint: 'linkctl shorten -f a.csv' });
    const { error, stderr } = await print(listing(urls(5000), { abandoned: () => told }), pipe);
    expect(error).toBe(told);
    expect(stderr).toBe('');
  });

  test('R-19: a stderr that went away changes nothing', async () => {
    const report = listing(urls(3), { notes: () => ['a', 'b', 'c'] });
    const { stdout, error } = await print(report, {
      stderr: { breaks: { after: 0, code: 'EPIPE' } },
      options: { fields: ['hash'] },
    });
    expect(stdout).toBe('h0\nh1\nh2\n');
    expect(error).toBeUndefined();
  });
});

test('B38: a full disk is a failure of its own, even at the last row', async () => {
  const { error } = await print(listing([url('abc')]), { stdout: { breaks: { after: 0, code: 'ENOSPC' } } });
  expect(error).toMatchObject({ exitCode: 9, message: 'cannot write output: no space left on device' });
});

test('B38: so is one at the only line of a command', async () => {
  const world = { stdout: { isTTY: true, breaks: { after: 0, code: 'ENOSPC' } } };
  const { error } = await print({ kind: 'done', sentence: 'Logged in as ann', record: {} }, world);
  expect(error).toMatchObject({ exitCode: 9 });
});

test('a source that fails is what is reported, even where the output fails after it', async () => {
  const boom = new Error('boom');
  const { error } = await print(listing(failing(urls(3), boom)), { stdout: { breaks: { after: 0, code: 'EPIPE' } } });
  expect(error).toBe(boom);
});

describe('one record', () => {
  const record = { username: 'ann\t', counters: { urls: { count: 1, limit: 9 } }, expires: '2026-01-31 09:00:00', nothing: null };
  const report = (others: Partial<RecordReport> = {}): RecordReport => ({ kind: 'record', key: 'account', record, ...others });

  test('is a block of names and values on a terminal', async () => {
    expect((await print(report(), terminal)).stdout).toBe(
      'username: ann\\t\ncounters: {"urls":{"count":1,"limit":9}}\nexpires:  2026-01-31 09:00:00\nnothing:\n',
    );
  });

  test('is a name and a value a line in a pipe', async () => {
    const columns = [{ name: 'username' }, { name: 'expires', time: true }];
    expect((await print(report({ columns }))).stdout).toBe('username\tann\\t\nexpires\t2026-01-31T09:00:00Z\n');
  });

  test('is one row of csv', async () => {
    const options = { format: 'csv', fields: ['username', 'nothing'] } as const;
    expect((await print(report(), { options })).stdout).toBe('username,nothing\n"ann\t",\n');
  });

  test('B19: is keyed JSON, whole unless fields are chosen', async () => {
    expect((await print(report(), { options: { format: 'json' } })).stdout).toBe(`${JSON.stringify({ account: record })}\n`);
    expect((await print(report(), { options: { format: 'json', fields: ['nothing'] } })).stdout).toBe(
      '{"account":{"nothing":null}}\n',
    );
    expect((await print(report({ key: undefined }), { options: { format: 'json' } })).stdout).toBe(`${JSON.stringify(record)}\n`);
  });

  test('B18: an unknown field is reported', async () => {
    expect((await print(report(), { options: { fields: ['nope'] } })).error).toMatchObject({
      details: ['fields: counters, expires, nothing, username'],
    });
  });
});

describe('B26: something done', () => {
  const done = {
    kind: 'done',
    sentence: 'Logged in as ann\u0007',
    record: { username: 'ann' },
  } satisfies DoneReport;

  test.each([
    ['a sentence on a terminal', terminal, '✓ Logged in as ann\\x07\n'],
    ['nothing in a pipe', {}, ''],
    ['JSON for programs', { options: { format: 'json' } }, '{"username":"ann"}\n'],
    ['the same with -q', { ...terminal, options: { quiet: true } }, '✓ Logged in as ann\\x07\n'],
    ['what was asked for with -q', { options: { quiet: true, format: 'json' } }, '{"username":"ann"}\n'],
  ] as const)('is %s', async (_, world, text) => {
    expect((await print(done, world)).stdout).toBe(text);
  });
});

describe('text', () => {
  test('is what it is in a pipe', async () => {
    expect((await print({ kind: 'text', text: 'a\u001b[2J' }, { options: { format: 'json' } })).stdout).toBe('a\u001b[2J');
  });

  test('R-45: drives no terminal, and ends its line there', async () => {
    expect((await print({ kind: 'text', text: 'a\tb\n\u001b[2J' }, terminal)).stdout).toBe('a\tb\n\\x1b[2J\n');
  });
});

test('lines on stderr come after the rows that were printed before them', async () => {
  const order: string[] = [];
  const world = createWorld();
  for (const name of ['stdout', 'stderr'] as const) {
    const write = world[name]._write.bind(world[name]);
    world[name]._write = (chunk, encoding, done) => {
      order.push(name);
      write(chunk, encoding, done);
    };
  }
  const failure = ({ hash }: Row): RejectedError | undefined => (hash === 'h1' ? new RejectedError('no') : undefined);
  await printReport(listing(urls(3), { failure, notes: () => ['a note'] }), {}, world.streams);
  await world.streams.release();
  expect(order).toEqual(['stdout', 'stderr', 'stdout', 'stderr']);
});
