import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { runShell } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { test as base, sent } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const inUse = 300;

const test = base.extend<{ file: string }>({
  file: async ({ folder }, use) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, ['long_url', ...Array.from({ length: 25 }, (_, nth) => `https://new.example/${nth}`)].join('\n'));
    await use(file);
  },
});

describe.each(['a', 'b'] as const)('edition %s, an account in use', (edition) => {
  test.override({ edition });
  beforeEach<{ service: { baseUrl: string } }>(async ({ service }) => await store(service, numbered(inUse)));

  const clashes = {
    'one file for both': (folder: string) => [`${folder}/out.csv`, `${folder}/out.csv`],
    'one file for both, from another folder': (folder: string) => [
      `${folder}/out.csv`,
      `${folder}/../${basename(folder)}/out.csv`,
    ],
    'the input as results': (_folder: string, file: string) => [file, undefined],
    'the input as failed rows': (folder: string, file: string) => [`${folder}/out.csv`, file],
    'the input by a relative path': (_folder: string, file: string) => [relative(process.cwd(), file), undefined],
    'the input by a symbolic link': (folder: string, file: string) => {
      symlinkSync(file, join(folder, 'soft.csv'));
      return [join(folder, 'soft.csv'), undefined];
    },
    'the input by a hard link': (folder: string, file: string) => {
      linkSync(file, join(folder, 'hard.csv'));
      return [undefined, join(folder, 'hard.csv')];
    },
  } as const;

  test.for(Object.entries(clashes))(
    'D31: %s is exit 2, and nothing is sent or overwritten',
    async ([, paths], { linkctl, folder, file, wire, service }) => {
      const before = readFileSync(file, 'utf8');
      const [results, failed] = paths(folder, file);
      const flags = [...(results ? ['--results', results] : []), ...(failed ? ['--failed', failed] : [])];
      const ran = await linkctl(['shorten', '-f', file, ...flags, '--yes']);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toMatch(
        /^error: --(results|failed) \S+ (would overwrite the input file|and --failed \S+ are the same file)/m,
      );
      expect(await sent(wire)).toEqual([]);
      expect(readFileSync(file, 'utf8')).toBe(before);
      expect(await stored(service)).toHaveLength(inUse);
    },
  );

  test.for([
    'shorten https://new.example/ --hash new',
    'shorten -f FILE',
    'edit h1 --note x',
    'edit --by-tags x --note x --yes --max-affected 900',
    'delete h1 --yes',
    'delete --all --yes --max-affected 900',
    'rewrite https://a.example https://b.example --all --yes --max-affected 900',
    'stats --reset h1 --yes',
    'stats h1',
    'tags add new',
    'tags delete x --yes --max-affected 900',
    'tags delete x --no-undo --yes',
    'tags merge x --into y --yes --max-affected 900',
    'copy --to other --all --yes',
    'apply -f FILE --yes',
    'undo last --yes',
    'redo last --yes',
    'check --all',
    'list',
    'log',
    'tags',
    'domains',
    'runs',
    'runs verify last',
  ])('B11, B18: %s with a field that it does not have is exit 2 before anything else', async (line, { linkctl, file, wire }) => {
    const words = line.replace('FILE', file).split(' ');
    for (const fields of ['hash,', 'hash,nosuch', 'SHORT_URLS']) {
      const ran = await linkctl([...words, '--fields', fields]);
      expect(ran).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^error: --fields: (unknown field|a name)/),
      });
    }
    expect(await wire.requests()).toEqual([]);
    expect((await linkctl(['runs', '-o', 'json'])).stdout).toBe('{"runs":[]}\n');
  });

  test('D31: the file that a shell put on stdin is the input, too', async ({ env, file, service }) => {
    const ran = await runShell(`$linkctl shorten -f - --input-format csv --results ${file} --yes < ${file}`, env);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('would overwrite the input file') });
    expect(await stored(service)).toHaveLength(inUse);
  });

  test('D31: the file of links that apply compares is the input, too', async ({ linkctl, folder, service }) => {
    const path = join(folder, 'compared.csv');
    const text = 'hash,long_url\nmade,https://new.example/\n';
    writeFileSync(path, text);
    for (const flag of ['--results', '--failed']) {
      const ran = await linkctl(['apply', '-f', path, flag, path, '--yes']);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`${flag} ${path} would overwrite the input file`) });
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(await stored(service)).toHaveLength(inUse);
  });

  const begins = { checked: [[], 2], dedupe: [['--dedupe', 'account'], 2], keyed: [['--generate-hashes'], 4] } as const;

  test.for(Object.entries(begins))(
    'D33: in %s mode a budget that is used up before the first row is exit 2, with the least that works',
    async ([, [flags, calls]], { linkctl, file, service }) => {
      // The domain's name, on edition A, and the quota.
      const least = calls + (edition === 'a' ? 2 : 1);
      const words = ['shorten', '-f', file, '--batch-size', '5', ...flags, '--budget'];
      for (const budget of [1, least - 1]) {
        const ran = await linkctl([...words, String(budget)]);
        expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`use at least --budget ${least}\n`) });
      }
      expect(await stored(service)).toHaveLength(inUse);
      let made = inUse;
      for (let code = 7; code === 7; ) {
        code = (await linkctl([...words, String(least)])).code;
        const now = (await stored(service)).length;
        expect(now).toBeGreaterThan(made);
        made = now;
      }
      expect(made).toBe(inUse + 25);
    },
  );

  test.for([
    ['delete', '--yes'],
    ['delete', '--yes', '--no-undo'],
    ['edit', '--note=n'],
    ['edit', '--note=n', '--no-undo'],
  ] as const)(
    'D33, U1: %s %s %s continues with the least budget, and is exit 2 below it',
    async ([command, ...flags], { linkctl, folder, service }) => {
      const hashes = join(folder, 'hashes.txt');
      writeFileSync(hashes, 'h1\nh2\n');
      // The domain's name, on edition A, the quota, and for undo the reading before the change.
      const least = 2 + (edition === 'a' ? 1 : 0) + (flags.length === 1 ? 1 : 0);
      const words = [command, '--hashes-from', hashes, ...flags, '--batch-size', '1', '--budget'];
      expect(await linkctl([...words, String(least - 1)])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`--budget ${least}\n`),
      });
      expect(await linkctl([...words, String(least)])).toMatchObject({ code: 7 });
      expect(await linkctl([...words, String(least)])).toMatchObject({ code: 0 });
      if (command === 'delete') expect(await stored(service)).toHaveLength(inUse - 2);
    },
  );

  const editsAfter = (unchanged: number): string => {
    const rows = numbered(34).map(
      ({ custom_hash, long_url }, nth) => `${custom_hash},${long_url}${nth < unchanged ? '' : '?new'}`,
    );
    return ['hash,long_url', ...rows].join('\n');
  };

  test.for([1, 4])(
    'U1: with --concurrency %i a batch that needs no change takes one call of the budget, and those in flight never exceed it',
    async (concurrency, { linkctl, folder, wire }) => {
      const edits = join(folder, 'edits.csv');
      const words = ['edit', '-f', edits, '--batch-size', '5', '--concurrency', `${concurrency}`, '--budget'];
      // The domain's name, on edition A, the quota, seven readings, and the change that the last of them could have needed.
      const least = (edition === 'a' ? 2 : 1) + 7 + 1;
      writeFileSync(edits, editsAfter(34));
      const ran = await linkctl([...words, `${least}`]);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(' at least 7 requests)\n') });
      expect(ran.stderr).toContain(`34 unchanged (${least - 1} requests,`);
      const before = (await sent(wire)).length;
      writeFileSync(edits, editsAfter(15));
      expect(await linkctl([...words, `${least}`])).toMatchObject({ code: 7 });
      // The last call could only be a reading.
      expect((await sent(wire)).length - before).toBe(least - 1);
      expect(await linkctl([...words, `${least}`])).toMatchObject({ code: 0 });
    },
  );

  test('D33: a rename is checked first, and needs one call more', async ({ linkctl, folder }) => {
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,custom_hash\nh1,n1\nh2,n2\n');
    const least = edition === 'a' ? 4 : 3;
    const words = ['edit', '-f', edits, '--batch-size', '1', '--budget'];
    expect(await linkctl([...words, String(least - 1)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--budget ${least}\n`),
    });
    expect(await linkctl([...words, String(least)])).toMatchObject({ code: 7 });
    expect(await linkctl([...words, String(least)])).toMatchObject({ code: 0 });
  });

  test('D33: rows in doubt are checked first, and need one call more', async ({ linkctl, folder, wire, service }) => {
    const hashes = join(folder, 'hashes.txt');
    writeFileSync(hashes, 'h1\nh2\n');
    const words = ['delete', '--hashes-from', hashes, '--yes', '--batch-size', '1', '--concurrency', '1', '--retries', '0'];
    await wire.script([
      { only: { method: 'DELETE' }, ...faults.dropBefore },
      // Only the reading before the change is answered.
      { only: { method: 'GET', path: 'hashes=' } },
      { only: { method: 'GET', path: 'hashes=' }, times: 'all', ...faults.htmlBefore },
    ]);
    expect((await linkctl(words)).code).toBe(10);
    await wire.script([]);
    const least = edition === 'a' ? 5 : 4;
    const refused = await linkctl([...words, '--budget', String(least - 1)]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`--budget ${least}\n`) });
    await linkctl([...words, '--budget', String(least)]);
    expect(await stored(service)).toHaveLength(inUse - 1);
  });

  test.for([
    ['shorten', '-f', 'a.csv', '-f', 'b.csv'],
    ['edit', '--file', 'a.csv', '-fb.csv'],
    ['delete', '--hashes-from', 'a.csv', '--hashes-from=b.csv', '--yes'],
    ['list', '--hashes-from', 'a.csv', '--hashes-from', 'b.csv'],
  ])('D37: %s with two inputs is exit 2 and names both', async (words, { linkctl, wire }) => {
    const ran = await linkctl(words);
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: --(file|hashes-from): specify only one of "a\.csv" or "b\.csv"\n/),
    });
    expect(await sent(wire)).toEqual([]);
  });
});

test.for([
  'auth login --base-url URL --username ann --with-key',
  'auth switch sandbox',
  'config set output csv',
  'config unset output',
  'api GET /account',
  'api POST /tags --body {}',
])(
  'B18: linkctl %s prints no fields, so --fields is exit 2, and nothing is sent or changed',
  async (line, { linkctl, homeEnv, wire, folder }) => {
    const config = join(folder, '.config', 'linkctl', 'config.json');
    const profiles = { work: { base_url: wire.baseUrl, username: 'ann', edition: 'a', output: 'tsv' } };
    await linkctl(['config', 'set', 'undo', 'on', '-p', 'sandbox'], { env: homeEnv });
    writeFileSync(config, JSON.stringify({ current_profile: 'work', profiles }));
    const before = readFileSync(config, 'utf8');
    const words = line.replace('URL', wire.baseUrl).split(' ');
    const command = words[0] === 'api' ? 'api' : words.slice(0, 2).join(' ');
    const ran = await linkctl([...words, '--fields', 'profile'], { stdin: 'key' });
    expect(ran).toEqual({ code: 2, stdout: '', stderr: `error: --fields does not apply to linkctl ${command}\n` });
    expect(await sent(wire)).toEqual([]);
    expect(readFileSync(config, 'utf8')).toBe(before);
  },
);
