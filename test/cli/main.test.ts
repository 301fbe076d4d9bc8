import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { apiKey, type Linkctl, runnerIn, test } from '../support/linkctl.ts';

test.for([[], ['-h'], ['--help'], ['help']])('B1: linkctl %s prints the root help on stdout', async (argv, { linkctl }) => {
  const ran = await linkctl(argv);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('Usage: linkctl <command> [flags]');
});

test.for([
  ['help', 'list'],
  ['list', '-h'],
  ['list', '--help'],
  ['list', '--order-by', 'x', '--limit', 'many', '--bad', '-h'],
  ['-p', 'nowhere', 'list', 'abc', '--help'],
])('B1: linkctl %s prints the help of list, whatever else is on the line', async (argv, { linkctl }) => {
  const ran = await linkctl(argv);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('List short URLs.');
});

test('B1: help on what does not exist is a mistake with a suggestion', async ({ linkctl }) => {
  const ran = await linkctl(['help', 'lits']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('list');
});

test.for([
  ['list', '--search', '-h'],
  ['edit', 'h', '--note', '--help'],
  ['shorten', 'https://a.example/1', '-qt', '-h', '--note', 'x'],
  ['list', '-L', '--help'],
])('B1, B2: -h means help, in the place of a value too: %j', async (argv, { linkctl, wire }) => {
  const help = await linkctl(['help', argv[0] ?? '']);
  expect(await linkctl(argv)).toEqual(help);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(await wire.requests()).toEqual([]);
});

test.for(['-yes, please', '-new offer', '-pending', '-ojson', '-Version2', '-q'])(
  'B8: the value %j, which begins like global flags, is the value of its flag and nothing else',
  async (value, { linkctl }) => {
    const given = (flag: string, short = flag): string[] => (value === '-q' ? [`${flag}=${value}`] : [short, value]);
    await linkctl(['shorten', 'https://a.example/1', '--hash', 'one', ...given('--tag', '-qt')]);
    expect(await linkctl(['edit', ...given('--note'), 'one', '-o', 'tsv'])).toMatchObject({ code: 0, stdout: 'one\n' });
    const { stdout } = await linkctl(['list', '--search', 'https', '-o', 'jsonl', '--fields', 'note,tags']);
    expect(JSON.parse(stdout)).toEqual({ note: value, tags: [value] });
  },
);

test('B8, B57: a value that begins like --yes is no consent, and selects what was named', async ({ linkctl, wire }) => {
  for (const end of ['ards', '-yards']) await linkctl(['shorten', `https://a.example/1${end}`]);
  const before = (await wire.requests()).length;
  const ran = await linkctl(['delete', '--search', '-yards', '--max-affected', '9']);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
  expect((await wire.requests()).slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.for([
  [
    ['edit', 'h', '--email-stats', 'false'],
    '--email-stats takes no value, but false follows it\nhint: for true: --email-stats alone; for false: leave it out, or --no-email-stats where the command has it; if false is an operand, put -- before it\n',
  ],
  [['edit', 'h', '--email-stats', 'true', '--note', 'x'], '--email-stats takes no value, but true follows it\n'],
  [['delete', 'h', '-y', 'false'], '--yes takes no value, but false follows it\n'],
] as const)(
  'B10, B12: %j is exit 2: the flag would be set, and the word another link',
  async ([argv, complaint], { linkctl, wire }) => {
    const ran = await linkctl(argv);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`error: ${complaint}`);
    expect(await wire.requests()).toEqual([]);
  },
);

test.for([
  [['edit', 'h', '--note', '-q', '--add-tag', 'other'], '--note=-q'],
  [['edit', 'h', '--note', '--add-tag', 'other'], '--note=--add-tag'],
  [['list', '--search', '--limit=5'], '--search=--limit=5'],
  [['-p', '-q', 'list'], '--profile=-q'],
  [['edit', 'h', '--note', '--', 'h2'], '--note=--'],
] as const)(
  'B7: a flag in the place of a value is exit 2, because the word after it would become another operand: %j',
  async ([argv, remedy], { linkctl, wire }) => {
    const ran = await linkctl(argv);
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(': missing value\nhint: if the value is '),
    });
    expect(ran.stderr).toContain(`: ${remedy}\n`);
    expect(await wire.requests()).toEqual([]);
  },
);

test.for([['auth'], ['config']])('B1: %s without a verb prints its help', async (argv, { linkctl }) => {
  expect(await linkctl(argv)).toMatchObject({ code: 0, stdout: expect.stringContaining(`linkctl ${argv[0]}`), stderr: '' });
});

test.for([['--version'], ['-V'], ['version']])('B3: linkctl %s prints one line', async (argv, { linkctl }) => {
  expect(await linkctl(argv)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^linkctl \d+\.\d+\.\d+\n$/), stderr: '' });
});

test('B4: a missing operand shows one error, the usage, an example and where to read on', async ({ linkctl }) => {
  const ran = await linkctl(['shorten']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^error: missing .*long-url/),
    expect.stringMatching(/^usage: linkctl shorten /),
    expect.stringMatching(/^example: linkctl shorten /),
    'hint: linkctl shorten --help',
  ]);
});

test.for([
  [['lsit'], 'list'],
  [['LIST'], 'list'],
  [['list', '--limt', '5'], '--limit'],
  [['auth', 'lgoin'], 'login'],
] as const)('B5: %s is unknown, and %s is suggested', async ([argv, near], { linkctl }) => {
  const ran = await linkctl(argv);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`did you mean ${near}?`);
});

test.for([
  [['-p'], 'error: --profile: missing value\n'],
  [['-p', 'work', '--zzz'], "unknown option '--zzz'"],
  [['-o', 'xml'], 'expected one of'],
] as const)('B5: %s is exit 2 without a command too', async ([argv, complaint], { linkctl }) => {
  const ran = await linkctl(argv);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(complaint) });
  expect(ran.stderr).toMatch(/^hint: linkctl --help$/m);
});

test.for([
  ['shorten', 'hint: linkctl shorten -f'],
  ['apply', 'did you mean: linkctl apply -f'],
  ['diff', 'hint: linkctl diff -f'],
] as const)(
  'B5: %s of a path in the place of an operand suggests -f, if there is such a file',
  async ([name, remedy], { linkctl, wire, folder }) => {
    const file = join(folder, 'links.csv');
    const missing = await linkctl([name, file]);
    expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.not.stringContaining('-f /') });
    writeFileSync(file, 'long_url\nhttps://example.com/\n');
    const ran = await linkctl([name, file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`\n${remedy} ${file}\n`);
    expect(await linkctl([name, folder])).toMatchObject({ code: 2, stderr: missing.stderr.replaceAll(file, folder) });
    expect(await wire.requests()).toEqual([]);
  },
);

test('B5, B14: a name that is a file and looks like a host is a file, and nothing is read from it', async ({ linkctl, wire }) => {
  const ran = await linkctl(['shorten', 'package.json']);
  const stderr = 'error: long-url: "package.json" is a file, not a URL\nhint: linkctl shorten -f package.json\n';
  expect(ran).toEqual({ code: 2, stdout: '', stderr });
  expect((await linkctl(['shorten', 'no-such.example'])).stderr).toContain('did you mean "https://no-such.example"?');
  expect(await wire.requests()).toEqual([]);
});

test.for([
  [['list', '--web']],
  [['delete', 'abc', '--yess']],
  [['shorten', '-f', 'x.csv', '--forse']],
  [['shorten', '-f', 'x.csv', '--agian']],
  [['stats', 'abc', '--resett']],
  [['auth', 'logout', '--al']],
] as const)('B5, D45: the guess for %s is no flag that consents or deletes', async ([argv], { linkctl, wire }) => {
  const ran = await linkctl(argv);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('unknown option') });
  expect(ran.stderr).not.toContain('did you mean');
  expect(await wire.requests()).toEqual([]);
});

test.for([
  ['create', 'shorten'],
  ['add', 'shorten'],
  ['NEW', 'shorten'],
  ['get', 'list'],
  ['show', 'list'],
  ['export', 'list'],
  ['remove', 'delete'],
  ['import', 'shorten -f'],
  ['clicks', 'stats'],
  ['click', 'stats'],
  ['statistics', 'stats'],
  ['analytics', 'stats'],
  ['update', 'edit'],
  ['modify', 'edit'],
  ['info', 'list'],
  ['view', 'list'],
  ['describe', 'list'],
  ['links', 'list'],
  ['cp', 'copy'],
  ['rename', 'edit --new-hash'],
  ['restore', 'undo'],
  ['revert', 'undo'],
  ['rollback', 'undo'],
  ['history', 'runs'],
  ['start', 'serve'],
  ['status', 'auth status'],
  ['runs rm', 'forget'],
  ['find', 'list --search'],
  ['search', 'list --search'],
  ['qr', 'list --qr'],
  ['login', 'auth login'],
  ['logout', 'auth logout'],
  ['whoami', 'auth status'],
  ['profile', 'auth list'],
  ['auth use', 'switch'],
  ['tags create', 'add'],
  ['tags remove', 'delete'],
])('B5, D45: %s is a word of other tools, and %s is ours', async ([words = '', ours], { linkctl, wire }) => {
  const ran = await linkctl([...words.split(' '), 'abc']);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`did you mean ${ours}?\n`) });
  expect(await wire.requests()).toEqual([]);
});

test.for([
  [['shorten', 'https://a.example/', '--slug', 'x'], '--hash'],
  [['shorten', 'https://a.example/', '--alias=x'], '--hash'],
  [['shorten', 'https://a.example/', '--custom-hash', 'x'], '--hash'],
  [['shorten', 'https://a.example/', '--back-half', 'x'], '--hash'],
  [['shorten', 'https://a.example/', '--utm-source', 'x'], '--utm'],
  [['shorten', 'https://a.example/', '--tags', 'x'], '--tag'],
  [['shorten', 'https://a.example/', '--title', 'x'], '--note'],
  [['edit', 'abc', '--slug', 'x'], '--new-hash'],
  [['edit', 'abc', '--hash', 'x'], '--new-hash'],
  [['edit', 'abc', '--long-url', 'x'], '--url'],
  [['list', '--format', 'json'], '--output'],
  [['stats', '--period', '7d'], '--since'],
  [['edit', 'abc', '--tags', 'x'], '--add-tag'],
  [['edit', 'abc', '--TAG', 'x'], '--add-tag'],
  [['list', '--tag', 'x'], '--by-tags'],
  [['stats', '--tags', 'x'], '--by-tags'],
  [['check', '--label', 'x'], '--by-tags'],
  [['list', '--sort', 'clicks'], '--order-by'],
  [['list', '--sort-by', 'clicks'], '--order-by'],
  [['delete', '--serach', 'x'], '--search'],
  [['list', '-l', '1'], '--limit'],
  [['check', '-f', 'x'], '--hashes-from'],
  [['list', '-t', 'x'], '--by-tags'],
  [['auth', 'login', '--token', 'x'], '--with-key'],
] as const)('E37: for %s the flag that means it is suggested', async ([argv, ours], { linkctl, wire }) => {
  const ran = await linkctl(argv);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`did you mean ${ours}?\n`) });
  expect(await wire.requests()).toEqual([]);
});

test.for([
  [['delete', 'abc', '--tags', 'x']],
  [['delete', 'abc', '--tag', 'x']],
  [['rewrite', 'https://a.example', 'https://b.example', '--tags', 'x']],
  [['edit', 'abc', '--by-tgs2', 'x']],
  [['list', '--slug', 'x']],
  [['shorten', '--url', 'https://a.example/']],
  [['delete', 'abc', '--alle']],
  [['delete', '-f', 'x']],
] as const)('E37: for %s no flag that selects links is suggested', async ([argv], { linkctl, wire }) => {
  const ran = await linkctl([...argv]);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('unknown option') });
  expect(ran.stderr).not.toContain('did you mean');
  expect(await wire.requests()).toEqual([]);
});

test.for([
  ['list --ttl 3', "unknown option '--ttl'"],
  ['list --region x', "unknown option '--region'"],
  ['check --again', "unknown option '--again'"],
  ['delete abc -Y', "unknown option '-Y'"],
  ['shorten https://a.example/ -s x', "unknown option '-s'"],
  ['runs -abc', "unknown option '-abc'"],
  ['count', "unknown command 'count'"],
] as const)('B5: %s is like nothing, so nothing is suggested', async ([words, complaint], { linkctl }) => {
  const [error, hint, ...rest] = (await linkctl(words.split(' '))).stderr.split('\n');
  expect([error, ...rest]).toEqual([`error: ${complaint}`, '']);
  expect(hint).toMatch(/^hint: linkctl .*--help$/);
});

test.for([
  ['shorten --url https://a.example/', 'the URL needs no flag: linkctl shorten [long-url...] [flags]'],
  ['shorten --long-url=https://a.example/', 'the URL needs no flag: linkctl shorten [long-url...] [flags]'],
  ['domains list', 'did you mean: linkctl domains'],
])('B5: %s has a pointer to the right form', async ([words = '', pointer], { linkctl }) => {
  const ran = await linkctl(words.split(' '));
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`\n${pointer}\nhint: `) });
});

test.for(['-ks3cret', '-k:s3cret', '--apikey:s3cret', '--api-key/s3cret'])(
  'B64: auth login %s does not repeat the key',
  async (flag, { linkctl }) => {
    const ran = await linkctl(['auth', 'login', flag]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('unknown option') });
    expect(ran.stderr).not.toContain('s3cret');
  },
);

test.for(['--api-key', '--token'])('B64: %s is unknown, and its value is not repeated', async (flag, { linkctl }) => {
  for (const words of [[flag, apiKey], [`${flag}=${apiKey}`]]) {
    const ran = await linkctl(['auth', 'login', ...words]);
    const stderr = `error: unknown option '${flag}'\ndid you mean --with-key?\nhint: linkctl auth login --help\n`;
    expect(ran).toEqual({ code: 2, stdout: '', stderr });
  }
});

test.for([
  ['list --lim 3', "unknown option '--lim'", 'did you mean --limit?', 'list --help'],
  ['sho', "unknown command 'sho'", 'did you mean shorten?', '--help'],
  ['formats', "unknown command 'formats'", 'did you mean help formats?', '--help'],
])(
  'B5: %s: the only name that begins so is meant, and a topic is one of help',
  async ([words = '', message, meant, hint], { linkctl }) => {
    const stderr = `error: ${message}\n${meant}\nhint: linkctl ${hint}\n`;
    expect(await linkctl(words.split(' '))).toEqual({ code: 2, stdout: '', stderr });
  },
);

test.for([
  ['copy --map-domian a=b', '--map-domian', '--map-domain'],
  ['report --sinse 7d', '--sinse', '--since'],
  ['tags merge a --int b', '--int', '--into'],
])(
  'B5: %s: a flag that does not exist is named before one that is missing',
  async ([words = '', flag, meant], { linkctl, wire }) => {
    const command = words.replace(/ (?:a )?--.*/, '');
    const stderr = `error: unknown option '${flag}'\ndid you mean ${meant}?\nhint: linkctl ${command} --help\n`;
    expect(await linkctl(words.split(' '))).toEqual({ code: 2, stdout: '', stderr });
    expect(await wire.requests()).toEqual([]);
  },
);

test.for(['csv extra', 'formats --fields x list'])(
  'B4: help %s: the hint is the help of the topic',
  async (words, { linkctl }) => {
    const stderr = `error: too many arguments: expected 0, got 1\nhint: linkctl help ${words.replace(/ .*/, '')}\n`;
    expect(await linkctl(['help', ...words.split(' ')])).toEqual({ code: 2, stdout: '', stderr });
  },
);

test('B64: a key in the place of a command of auth is not repeated', async ({ linkctl }) => {
  const stderr = 'error: unknown command\nhint: linkctl auth --help\n';
  expect(await linkctl(['auth', apiKey])).toEqual({ code: 2, stdout: '', stderr });
  expect((await linkctl(['auth', 'logn'])).stderr).toContain("unknown command 'logn'\ndid you mean login?");
});

test.for([
  ['list', '--all=yes', '--all takes no value'],
  ['auth login', `--with-key=${apiKey}`, '--with-key takes no value'],
])('B4: %s %s: the flag is known and takes no value', async ([words = '', flag = '', message], { linkctl }) => {
  const stderr = `error: ${message}\nhint: linkctl ${words} --help\n`;
  expect(await linkctl([...words.split(' '), flag])).toEqual({ code: 2, stdout: '', stderr });
});

test.for([
  ['edit', "argument 'hash'"],
  ['delete', "argument 'hash'"],
  ['shorten', "argument 'long-url'"],
  ['rewrite', "argument 'from'"],
  ['rewrite https://a.example', "argument 'to'"],
  ['tags rename', "argument 'old'"],
  ['diff', "flag '--file'"],
  ['apply', "flag '--file'"],
  ['copy', "flag '--to'"],
  ['report', "flag '--html'"],
  ['tags merge a', "flag '--into'"],
])('B4: %s without what it needs says so, with usage and an example', async ([words = '', what], { linkctl, wire }) => {
  const ran = await linkctl(words.split(' '));
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  const command = words.replace(/ (?:a|https:.*)$/, '');
  const [error, usage, example, hint, ...rest] = ran.stderr.split('\n');
  expect([error, hint, ...rest]).toEqual([`error: missing required ${what}`, `hint: linkctl ${command} --help`, '']);
  expect(usage).toMatch(new RegExp(`^usage: linkctl ${command} .*`));
  expect(example).toMatch(new RegExp(`^example: linkctl ${command} .`));
  const flag = /--[a-z]+/.exec(what ?? '')?.[0].replace('--file', '-f');
  for (const line of [usage, example]) expect(line).toContain(flag ?? '');
  expect(await wire.requests()).toEqual([]);
});

test('B4: the usage of edit names its file, and its example can be run', async ({ linkctl }) => {
  const { stderr } = await linkctl(['edit']);
  expect(stderr).toContain('usage: linkctl edit <hash>... | -f <file|-> | --hashes-from');
  const example = /^example: linkctl (.*)$/m.exec(stderr)?.[1] ?? '';
  expect(await linkctl(example.split(' '))).toMatchObject({ code: 5 });
});

test.for([
  ['https://nodejs.org/', 'linkctl shorten https://nodejs.org/'],
  ['HTTP://a.example/?a=1&b=2', "linkctl shorten 'HTTP://a.example/?a=1&b=2'"],
])('E37: %s in the place of a command is a URL to shorten', async ([url = '', line], { linkctl, wire }) => {
  const ran = await linkctl([url]);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`\ndid you mean: ${line}\n`) });
  expect(await wire.requests()).toEqual([]);
});

test('E37, B45: the suggested command for a URL keeps all other words, and can be pasted', async ({ homeEnv }) => {
  const run = runnerIn(homeEnv);
  const ran = await run(['-p', 'sandbox', 'https://a.example/', '--hash', 'dym2', '--note', "ann's own"]);
  const line = "shorten -p sandbox https://a.example/ --hash dym2 --note 'ann'\\''s own'";
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`\ndid you mean: linkctl ${line}\n`) });
  const words = ['shorten', '-p', 'sandbox', 'https://a.example/', '--hash', 'dym2', '--note', "ann's own"];
  expect(await run(words)).toMatchObject({ code: 0 });
  expect((await run(['-p', 'sandbox', 'list', '--fields', 'hash,note'])).stdout).toBe("dym2\tann's own\n");
});

test.for([['--api-key'], ['--token'], ['--password']])(
  'B64: %s beside a URL: its value is not repeated',
  async ([flag = ''], { linkctl }) => {
    for (const words of [[flag, apiKey], [`${flag}=${apiKey}`]]) {
      const stderr = "error: unknown command 'https://a.example/'\nhint: linkctl --help\n";
      expect(await linkctl(['https://a.example/', ...words])).toEqual({ code: 2, stdout: '', stderr });
    }
  },
);

test.for([
  [['--profile', 'work', 'domains', 'list'], 'linkctl -p work domains'],
  [['apply', 'package.json', '-p', 'work', '--edition', 'b'], 'linkctl -p work --edition b apply -f package.json'],
] as const)('B45: the suggestion for %s is about the account that was typed', async ([argv, line], { linkctl }) => {
  const ran = await linkctl(argv);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`\ndid you mean: ${line}\n`) });
});

test.for([
  ['auth', 'list', 'ls'],
  ['tags', 'list', 'ls'],
  ['tags', 'delete', 'rm'],
])('E37: %s %s is %s, too', async ([group = '', name = '', alias = ''], { linkctl }) => {
  const [long, short] = await Promise.all([name, alias].map((word) => linkctl([group, word, '--help'])));
  expect(long).toEqual(short);
  expect(long).toMatchObject({ code: 0, stdout: expect.stringContaining(`linkctl ${group} ${name}`) });
});

test.for([['list', '--lim', '5'], ['li'], ['https://nodejs.org/']])(
  'B6: %s is no abbreviation of anything',
  async (argv, { linkctl }) => {
    expect(await linkctl(argv)).toMatchObject({ code: 2, stdout: '' });
  },
);

test('B7, CLI 3.3: global flags can be given anywhere', async ({ linkctl }) => {
  await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'abc']);
  const before = await linkctl(['-o', 'json', 'list']);
  const after = await linkctl(['list', '-o', 'json']);
  expect(before).toEqual(after);
  expect(JSON.parse(after.stdout).urls).toHaveLength(1);
});

test('B5, B8: a command after -- is refused, because nothing after it names a command', async ({ linkctl }) => {
  for (const words of [['list'], ['shorten', 'https://a.example'], []]) {
    for (const flags of [[], ['-q']]) {
      expect(await linkctl([...flags, '--', ...words])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('error: no command before --\n'),
      });
    }
  }
});

test('B8: -- ends options, and a word that looks like one has a hint', async ({ linkctl }) => {
  const ran = await linkctl(['list', '-abc']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("to pass a hash that starts with '-', put -- before it");
  expect((await linkctl(['list', '--', '-abc'])).code).toBe(5);
});

test.for([
  [['list', '--limit', '0']],
  [['list', '--limit', 'ten']],
  [['list', '-o', 'xml']],
  [['list', '--json', '-o', 'csv']],
  [['list', 'abc', '--by-tags', 'x']],
  [['list', '--by-tags', ' ']],
  [['list', '--all', '--limit', '3']],
  [['list', '..']],
  [['shorten', 'https://a.example/', 'https://b.example/', '--hash', 'x']],
  [['shorten', 'ftp://a.example/']],
  [['shorten', 'https://a.example/', '--expires', '2025-02-30']],
] as const)('B11: %s is refused before any request', async ([argv], { linkctl, env }) => {
  const ran = await linkctl(argv, { env: { ...env, LINKCTL_BASE_URL: 'http://127.0.0.1:1/api/3' } });
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^(error: |\{"error":)/) });
});

test('D48: list <hash> refuses what it would not heed', async ({ linkctl, wire }) => {
  expect(await linkctl(['list', 'abc', '--page-size', '5'])).toMatchObject({
    code: 2,
    stderr: 'error: specify only one of --page-size or <hash>...\n',
  });
  expect(await wire.requests()).toEqual([]);
});

test('B11: a bad value names the flag, what is expected and what was given', async ({ linkctl }) => {
  const ran = await linkctl(['list', '-o', 'xml']);
  expect(ran.stderr).toContain('error: --output: expected one of {table|json|jsonl|csv|tsv}, got "xml"\n');
});

test('B49: with -o json a failure is one line of JSON on stderr', async ({ linkctl }) => {
  const ran = await linkctl(['list', 'missing', '-o', 'json', '--limit', 'x']);
  expect(ran.code).toBe(2);
  expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 2, kind: 'usage' } });
});

test.for([['list', '--limit', 'x'], ['list', '--bogus'], ['lsit'], ['list', 'a', '-o', 'csv', '-o', 'jsonl', '--bogus']])(
  'B17, B49: where a variable asks for JSON, a line that cannot be read fails in JSON, too: %j',
  async (line, { linkctl }) => {
    for (const format of ['json', 'jsonl']) {
      const ran = await linkctl(line, { env: { LINKCTL_OUTPUT: format } });
      expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 2, kind: 'usage' } });
    }
    const text = await linkctl([...line, '-o', 'csv'], { env: { LINKCTL_OUTPUT: 'json' } });
    expect(text).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: /) });
  },
);

describe('B17, B49: where the profile asks for JSON', () => {
  const storing = test.extend<{ stored: Linkctl; config: string }>({
    config: async ({ folder }, use) => {
      const config = join(folder, '.config', 'linkctl', 'config.json');
      mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
      const server = { base_url: 'http://127.0.0.1:9/api/3', username: 'ann', api_key: 'k', edition: 'a' };
      const profiles = { work: { ...server, output: 'json' }, lines: { ...server, output: 'jsonl' }, text: server };
      writeFileSync(config, JSON.stringify({ current_profile: 'work', profiles }), { mode: 0o600 });
      await use(config);
    },
    stored: async ({ homeEnv, config }, use) => {
      expect(config).toContain(homeEnv.HOME);
      await use(runnerIn(homeEnv));
    },
  });
  const wrong = ['--bad', '-L 0', '--fields nosuch', '--nosuch --profile lines', '-p work -L x'];

  storing.for(wrong)('list %s fails in JSON', async (flags, { stored }) => {
    const ran = await stored(['list', ...flags.split(' ')]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 2, kind: 'usage' } });
  });

  storing.for(['-o csv', '--output=tsv', '-p text', '--profile=text', '-p nosuch', '--username ann'])(
    'a line with %s fails in text',
    async (flags, { stored }) => {
      const ran = await stored(['list', '-L', '0', ...flags.split(' ')]);
      expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: --limit/) });
    },
  );

  storing.for(['{"output": "json', '[]', '{"profiles":{"work":{"output":"json"}},"current_profile":7}'])(
    'a configuration that is %s hides no wrong line',
    async (text, { stored, config }) => {
      writeFileSync(config, text);
      expect(await stored(['list', '-L', '0'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: --limit/) });
    },
  );

  storing('a variable with another format, or with credentials, counts instead', async ({ stored }) => {
    for (const env of [{ LINKCTL_OUTPUT: 'tsv' }, { LINKCTL_USERNAME: 'ann' }, { LINKCTL_PROFILE: 'text' }]) {
      expect(await stored(['list', '-L', '0'], { env })).toMatchObject({ stderr: expect.stringMatching(/^error: --limit/) });
    }
  });
});
