import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { test } from '../support/linkctl.ts';
import { numbered, seed, store, stored } from '../support/stored-links.ts';
import { killed } from './undo-world.ts';

test('B88: output and results have the order of the input, whatever comes back first', async ({ linkctl, folder, wire }) => {
  const file = join(folder, 'links.csv');
  const rows = Array.from({ length: 40 }, (_, index) => `https://example.com/${index},h${index}`);
  writeFileSync(file, ['long_url,custom_hash', ...rows, ''].join('\n'));
  await linkctl(['shorten', 'https://taken.example/', '--hash', 'h25']);
  await wire.script([120, 10, 60, 0].map((milliseconds) => ({ only: { method: 'POST' }, delay: milliseconds })));
  const args = ['shorten', '-f', file, '--batch-size', '5', '--concurrency', '4', '--results', join(folder, 'done.csv')];
  const ran = await linkctl([...args, '--failed', join(folder, 'failed.csv'), '-o', 'jsonl']);
  const shown = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(ran.code).toBe(3);
  expect(shown.map(({ long_url }) => long_url)).toEqual(rows.map((row) => row.split(',')[0]));
  expect(shown[25]).toMatchObject({ line: 27, status: 'failed', error: { code: 1215 } });
  const [head = '', ...results] = readFileSync(join(folder, 'done.csv'), 'utf8').trim().split('\n');
  expect(head.split(',')).toEqual(expect.arrayContaining(['row', 'status', 'hash', 'short_url', 'long_url', 'code']));
  expect(results.map((line) => Number(line.split(',')[0]))).toEqual(rows.map((_, index) => index + 1));
  expect(readFileSync(join(folder, 'failed.csv'), 'utf8').trim().split('\n')).toHaveLength(2);
});

test('B88: each result has the line of its row, where the messages look for it', async ({ linkctl, folder }) => {
  const file = join(folder, 'links.csv');
  await linkctl(['shorten', 'https://taken.example/', '--hash', 'x2']);
  await linkctl(['shorten', 'https://taken.example/', '--hash', 'x3']);
  const rows = ['', 'https://e.com/1,x1,"two', 'lines"', 'https://e.com/2,x2,', 'https://e.com/2,x3,'];
  writeFileSync(file, ['long_url,custom_hash,note', ...rows, ''].join('\n'));
  for (const name of ['done.csv', 'done.jsonl']) {
    const ran = await linkctl(['shorten', '-f', file, '--results', join(folder, name), '--again']);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('links.csv:5: ') });
  }
  const csv = readFileSync(join(folder, 'done.csv'), 'utf8').trim().split('\n');
  expect(csv.map((line) => line.split(',').at(-1))).toEqual(['line', '3', '5', '6']);
  const json = readFileSync(join(folder, 'done.jsonl'), 'utf8').trim().split('\n');
  expect(json.map((line) => Object.entries(JSON.parse(line)).at(-1))).toEqual([3, 5, 6].map((line) => ['line', line]));
});

test('B88: the results of a list of hashes have its lines, and those of links that no file names have none', async ({
  linkctl,
  folder,
  service,
}) => {
  await store(service, numbered(3));
  const results = join(folder, 'done.csv');
  const linesOf = async (words: readonly string[], stdin?: string) => {
    const ran = await linkctl([...words, '--yes', '-o', 'jsonl', '--results', results], { stdin });
    expect(ran.code, ran.stderr).toBe(0);
    const [, ...rows] = readFileSync(results, 'utf8').trim().split('\n');
    const printed = ran.stdout.trim().split('\n');
    return [rows.map((row) => row.split(',').at(-1)), printed.map((row) => JSON.parse(row).line)];
  };
  const rewritten = await linesOf(['rewrite', '--set-param', 'a=b', '--hashes-from', '-'], '# mine\nh0\n\nh2\n');
  expect(rewritten).toEqual([
    ['2', '4'],
    [2, 4],
  ]);
  const run = (await linkctl(['runs'])).stdout.split('\t')[0] ?? '';
  const none = [
    ['', ''],
    [undefined, undefined],
  ];
  expect(await linesOf(['undo', run])).toEqual(none);
  expect(await linesOf(['redo', run])).toEqual(none);
  expect(await linesOf(['edit', '--search', 'a=b', '--note', 'n', '--max-affected', '2'])).toEqual(none);
  const edited = ['edit', '--filter', 'url~a=b', '--note', 'm', '--hashes-from', '-'];
  expect(await linesOf(edited, '\nh1\n\nh2\n')).toEqual([['4'], [4]]);
});

test.for([
  ['a folder', mkdirSync, 'cannot write PATH: it is not a regular file'],
  ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'cannot write PATH: it is not a regular file'],
  ['a file of another user', foreignFile, 'PATH belongs to another user (uid 54321)'],
] as const)(
  'R-26: %s, which --yes would not replace, is refused for what it is',
  async ([what, make, reason], { linkctl, folder, wire, skip }) => {
    skip(what === 'a file of another user' && process.getuid?.() !== 0);
    const [file, path] = [join(folder, 'links.csv'), join(folder, 'done.csv')];
    writeFileSync(file, 'long_url\nhttps://example.com/\n');
    make(path);
    for (const flags of [[], ['--yes']]) {
      const ran = await linkctl(['shorten', '-f', file, '--results', path, ...flags]);
      expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining(`error: ${reason.replace('PATH', path)}\n`) });
      expect(ran.stderr).not.toContain('--yes');
    }
    expect((await wire.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

function foreignFile(path: string): void {
  writeFileSync(path, 'theirs');
  chownSync(path, 54_321, 54_321);
}

test('B88: killed half-way and run again, every row is accounted for exactly once', async ({ env, linkctl, folder, wire }) => {
  const file = join(folder, 'links.csv');
  const rows = Array.from({ length: 300 }, (_, index) => `https://example.com/${index},h${index}`);
  writeFileSync(file, ['long_url,custom_hash', ...rows, ''].join('\n'));
  const only = { method: 'POST' };
  await wire.script([
    { only, times: 4 },
    { only, times: 'all', held: true },
  ]);
  const args = ['shorten', '-f', file, '--batch-size', '20', '--results', join(folder, 'done.csv')];
  const program = startProgram(args, env);
  await wire.held();
  program.process.kill('SIGKILL');
  await program.ended;
  await wire.script([]);
  const again = await linkctl(args);
  expect(again).toMatchObject({ code: 0 });
  const urls = JSON.parse((await linkctl(['list', '--all', '-o', 'json'])).stdout).urls.map(
    ({ long_url }: { long_url: string }) => long_url,
  );
  expect(new Set(urls).size).toBe(300);
  expect(urls).toHaveLength(300);
  expect(readFileSync(join(folder, 'done.csv'), 'utf8').trim().split('\n')).toHaveLength(301);
});

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}: D25: rows that are links already, and not as they asked to be`, () => {
    test.override({ edition });
    const noNotes = { only: { method: 'POST' }, alter: { each: { note: '' } } } as const;

    test('a typed link is told how to change that one', async ({ linkctl, wire, service }) => {
      await seed(service, 1);
      await wire.script([noNotes]);
      const ran = await linkctl(['shorten', 'https://example.com/1', '--note', 'one']);
      expect(ran.code).toBe(6);
      const hint = /\nhint: to change the existing link: linkctl edit --note one (\S+)\n$/;
      expect(hint.exec(ran.stderr)?.[1]).toBe((await stored(service)).at(-1)?.hash);
    });

    test('the command of the hint can be pasted, and makes the link as it was typed', async ({ linkctl }) => {
      const values = ['--note', "it's", '--expires', '2031-01-31', '--email-stats'];
      const typed = ['shorten', 'https://example.com/1', '--hash=-x'];
      expect(await linkctl([...typed, '--tag', 'old'])).toMatchObject({ code: 0 });
      const ran = await linkctl([...typed, '--tag=-o', ...values]);
      expect(ran).toMatchObject({ code: 6, stderr: expect.stringContaining('not applied: note, ') });
      const line = /\nhint: to change the existing link: linkctl (.*)\n$/.exec(ran.stderr)?.[1] ?? '';
      expect(line).toContain('--add-tag=-o --remove-tag old -- -x');
      const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
        .trimEnd()
        .split('\n');
      expect(await linkctl(words)).toMatchObject({ code: 0 });
      expect(await linkctl([...typed, '--tag=-o', ...values])).toMatchObject({ code: 0, stderr: '' });
    });

    test('R-40: a hint whose command would lack a secret is not given', async ({ linkctl, wire }) => {
      const other = { only: { method: 'POST' }, alter: { each: { long_url: 'https://me:other@example.com/' } } } as const;
      for (const format of [[], ['-o', 'json']]) {
        await wire.script([other]);
        const ran = await linkctl(['shorten', 'https://me:pass@example.com/', '--hash', `x${format.length}`, ...format]);
        expect(ran.code).toBe(6);
        expect(ran.stderr).toContain('not applied: long_url');
        expect(ran.stderr).not.toMatch(/hint|linkctl edit/);
      }
    });

    test('go to --failed with their hash: fed back they make no second link', async ({ linkctl, folder, wire, service }) => {
      await seed(service, 300);
      const [file, failed] = [join(folder, 'links.csv'), join(folder, 'failed.csv')];
      writeFileSync(file, 'long_url,note\nhttps://example.com/1,one\nhttps://example.com/2,\n');
      await wire.script([noNotes]);
      const ran = await linkctl(['shorten', '-f', file, '--failed', failed]);
      expect(ran.code).toBe(3);
      expect(ran.stderr).toContain('hint: these rows already have links: to change existing links, use linkctl edit -f');
      const made = (await stored(service)).slice(300);
      expect(made.map(({ long_url }) => long_url)).toEqual(['https://example.com/1', 'https://example.com/2']);
      const [head = '', ...lines] = readFileSync(failed, 'utf8').trim().split('\n');
      const column = head.split(',').indexOf('custom_hash');
      expect(lines.map((line) => line.split(',')[column])).toEqual([made[0]?.hash]);
      for (const more of [[], ['--again'], ['--again', '--dedupe', 'account']]) {
        await linkctl(['shorten', '-f', failed, '--failed', failed, '--yes', ...more]);
        expect(await stored(service)).toHaveLength(302);
      }
    });

    test('as JSON lines too; a note whose blanks were trimmed is no difference', async ({ linkctl, folder, wire, service }) => {
      await seed(service, 300);
      const [file, failed] = [join(folder, 'links.jsonl'), join(folder, 'failed.jsonl')];
      const rows = [1, 2].map((nth) => ({ long_url: `https://example.com/${nth}`, note: nth === 1 ? 'one' : ' two ' }));
      writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
      await wire.behave({ notes: 'shown trimmed' });
      expect((await linkctl(['shorten', '-f', file])).code).toBe(0);
      await wire.script([noNotes]);
      await linkctl(['shorten', '-f', file, '--again', '--failed', failed]);
      const made = (await stored(service)).slice(302);
      const entries = readFileSync(failed, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(entries).toMatchObject(made.map(({ hash, long_url }) => ({ custom_hash: hash, long_url, error_code: 0 })));
    });
  });
}

test('D25: --failed holds no values of flags, and is csv in the usual form whatever the flags say of the first file', async ({
  linkctl,
  folder,
  service,
}) => {
  await store(service, [{ custom_hash: 'taken', long_url: 'https://theirs.example/' }]);
  const [file, failed] = [join(folder, 'links.txt'), join(folder, 'failed.csv')];
  writeFileSync(file, Buffer.from('Page;Code;note\nhttps://example.com/1;taken;Gr\xfc\xdfe\n', 'latin1'));
  const values = ['--tag', 'imp', '--expires', '2031-01-31'];
  const described = ['--columns', 'long_url=Page,custom_hash=Code', '--delimiter', ';', '--encoding', 'windows-1252'];
  const words = ['shorten', '-f', file, '--input-format', 'csv', ...described, ...values, '--failed', failed];
  expect((await linkctl(words)).code).toBe(6);
  const text = readFileSync(failed, 'utf8');
  expect(text).toMatch(/\ntaken,https:\/\/example\.com\/1,Grüße,,,/);
  writeFileSync(failed, text.replace('taken', 'free'));
  expect((await linkctl(['shorten', '-f', failed, ...values])).code).toBe(0);
  expect((await stored(service)).find(({ hash }) => hash === 'free')).toMatchObject({ note: 'Grüße', tags: ['imp'] });
});

test('D25: an edit that renamed its link and did no more goes to --failed under the new hash', async ({
  linkctl,
  folder,
  wire,
  service,
}) => {
  await seed(service, 300);
  const [file, failed] = [join(folder, 'edits.csv'), join(folder, 'failed.csv')];
  writeFileSync(file, 'hash,custom_hash,note\nold8,new8,n\n');
  await wire.script([{ only: { method: 'PATCH' }, alter: { each: { note: 'old' } } }]);
  expect((await linkctl(['edit', '-f', file, '--failed', failed])).code).toBe(6);
  expect(readFileSync(failed, 'utf8')).toMatch(/^new8,,/m);
  expect((await linkctl(['edit', '-f', failed])).code).toBe(0);
});

describe('G3, R 1.7: a change of which nothing is sent leaves no files of an earlier one', () => {
  const head = 'row,status,hash,short_url,long_url,old_long_url,code,message,line\n';
  const failedHead = 'hash,long_url,note,tags,expiration_date,email_stats,max_clicks,error_code,error_message\n';
  const kept = test.extend<{ path: (name: string) => string; files: string[]; texts: () => string[] }>({
    path: async ({ folder }, use) => await use((name) => join(folder, name)),
    files: async ({ path }, use) => await use(['--results', path('results.csv'), '--failed', path('failed.csv')]),
    texts: async ({ path, written }, use) => await use(() => ['results.csv', 'failed.csv'].map((name) => written(path(name)))),
  });

  kept(
    'apply: both have the rows that are refused, and only their heads if all are equal',
    async ({ linkctl, service, path, files, texts }) => {
      await store(service, numbered(2));
      writeFileSync(path('base.csv'), 'hash,note\nh0,\nh1,\n');
      writeFileSync(path('links.csv'), 'hash,note\nh0,new\nh1,new\n');
      const apply = ['apply', '-f', path('links.csv'), ...files];
      const since = [...apply, '--base', path('base.csv')];
      expect((await linkctl([...apply, '--yes'])).code).toBe(0);
      expect(texts()[0]).toContain('\n2,changed,h1,');
      expect((await linkctl([...apply, '--yes'])).code).toBe(0);
      expect(texts()).toEqual([head, failedHead]);
      expect((await linkctl(['edit', 'h0', 'h1', '--note', 'theirs', '--yes'])).code).toBe(0);
      const watched = { terminal: { stdin: true, stdout: true, stderr: true } };
      const refused = await linkctl(since, watched);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/results\.csv already\s+exists/) });
      expect(texts()).toEqual([head, failedHead]);
      expect((await linkctl([...since, '--yes'])).code).toBe(3);
      const reason = `changed since ${path('base.csv')}: note`;
      expect(texts()).toEqual([
        `${head}1,failed,h0,,,https://example.com/0,,${reason},2\n2,failed,h1,,,https://example.com/1,,${reason},3\n`,
        `${failedHead}h0,,new,,,,,0,${reason}\nh1,,new,,,,,0,${reason}\n`,
      ]);
    },
  );

  kept('rewrite and an undo: nothing matches, nothing is left to delete', async ({ linkctl, service, path, files, texts }) => {
    await store(service, numbered(1));
    writeFileSync(path('results.csv'), 'old\n');
    writeFileSync(path('failed.csv'), 'old\n');
    const rewrite = ['rewrite', 'https://none.example', 'https://new.example', '--yes', '--max-affected', '9', ...files];
    expect((await linkctl(rewrite)).code).toBe(0);
    expect(texts()).toEqual([head, failedHead]);
    writeFileSync(path('urls.txt'), 'https://a.example/\n');
    expect((await linkctl(['shorten', '-f', path('urls.txt')])).code).toBe(0);
    const made = (await stored(service)).at(-1)?.hash ?? '';
    expect((await linkctl(['delete', made, '--yes'])).code).toBe(0);
    const { runs } = JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout);
    const { run } = runs.find(({ what }: { what: string }) => what.startsWith('shorten'));
    writeFileSync(path('results.csv'), 'old\n');
    expect((await linkctl(['undo', run, '--yes', ...files])).code).toBe(0);
    expect(texts()).toEqual([head, failedHead]);
  });
});

test('J5, U4: a killed delete --no-undo that is run again names the links with their domain', async ({
  linkctl,
  service,
  wire,
  env,
  folder,
}) => {
  await store(service, numbered(3));
  const [file, results] = [join(folder, 'hashes.txt'), join(folder, 'results.csv')];
  writeFileSync(file, 'h0\nh1\n');
  const words = ['delete', '--hashes-from', file, '--yes', '--max-affected', '2', '--no-undo', '--results', results];
  await killed(words, { only: { method: 'DELETE' }, ...faults.silentAfter }, { wire, env });
  expect((await linkctl(words)).code).toBe(0);
  expect(readFileSync(results, 'utf8')).toMatch(/^1,deleted,h0,localhost\/h0,.*\n2,deleted,h1,localhost\/h1,/m);
});
