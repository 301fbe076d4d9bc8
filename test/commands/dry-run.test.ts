import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeEach, describe, expect } from 'vitest';
import { wholeProgram } from '../../src/cli/program.ts';
import { descriptionOf } from '../../src/help/description.ts';
import { faults } from '../support/faulty-steps.ts';
import { runnerIn, sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const inUse = 300;
const nothing = 'dry run: nothing was sent\n';

/** The requests that change something. */
async function changes(wire: Parameters<typeof sent>[0]): Promise<unknown[]> {
  return (await sent(wire)).filter(({ call }) => !call.startsWith('GET'));
}

describe.each(['a', 'b'] as const)('B60, D28: --dry-run on an account in use, edition %s', (edition) => {
  test.override({ edition });
  beforeEach<{ service: { baseUrl: string } }>(async ({ service }) => {
    await store(service, numbered(inUse - 1, { note: 'old' }));
    await store(service, [{ custom_hash: 'own', long_url: 'https://own.example/', note: 'new', tags: ['a'] }]);
  });

  test('delete says which links would go, where they lead, and which are not there', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'hashes.txt');
    writeFileSync(file, 'h1\nnone\nown\n');
    const text = 'h1\thttps://example.com/1\t0\tdelete\nown\thttps://own.example/\t0\tdelete\n';
    const stderr = (name: string): string =>
      `2 links would be deleted, 1 not found\n  not found (1): ${name}\n` +
      `clicks and creation order of deleted links cannot be restored\n${nothing}`;
    expect(await linkctl(['delete', 'h1', 'none', 'own', '-n'])).toEqual({ code: 0, stdout: text, stderr: stderr('none') });
    const domain = edition === 'a' ? ['--domain', 'localhost'] : [];
    const listed = await linkctl(['delete', '--hashes-from', file, '-n', ...domain]);
    expect(listed).toMatchObject({ code: 0, stderr: stderr(edition === 'a' ? 'localhost/none' : 'none') });
    expect(listed.stdout).toBe(text);
    expect(await changes(wire)).toEqual([]);
  });

  test('edit says what would be otherwise, before and after, and what would not', async ({ linkctl, folder, wire }) => {
    const ran = await linkctl(['edit', 'h1', 'own', 'none', '--note', 'new', '-n']);
    expect(ran).toEqual({
      code: 0,
      stdout: 'h1\t\thttps://example.com/1\tnote: "old" -> "new"\n',
      stderr: `1 link would be changed, 1 unchanged, 1 not found\n  not found (1): none\n${nothing}`,
    });
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,long_url,tags,note\nh2,https://other.example/,+x,\nown,,+a,\n');
    const rows = await linkctl(['edit', '-f', file, '-n']);
    expect(rows).toMatchObject({ code: 0, stderr: `1 link would be changed, 1 unchanged\n${nothing}` });
    expect(rows.stdout).toBe(
      'h2\thttps://other.example/\thttps://example.com/2\tlong_url: "https://example.com/2" -> "https://other.example/"; tags: +x\n',
    );
    expect(await changes(wire)).toEqual([]);
  });

  test.for(['csv', 'jsonl'])(
    'W2: as %s it is a file for edit -f that makes the same change',
    async (format, { linkctl, folder, service }) => {
      const file = join(folder, `edits.${format}`);
      await linkctl(['edit', 'own', '--expires', '2031-01-31']);
      const flags = [
        '--url',
        'https://new.example/',
        '--note',
        'a "b", c',
        '--add-tag',
        'x',
        '--remove-tag',
        'a',
        '--expires',
        'never',
      ];
      const planned = await linkctl(['edit', 'h1', 'own', ...flags, '-n', '-o', format]);
      expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('old_long_url') });
      writeFileSync(file, planned.stdout);
      expect(await linkctl(['edit', '-f', file])).toMatchObject({ code: 0 });
      const changed = (await stored(service)).filter(({ note }) => note === 'a "b", c');
      expect(changed.map(({ hash, expiration_date }) => ({ hash, expiration_date }))).toEqual([
        { hash: 'h1', expiration_date: null },
        { hash: 'own', expiration_date: null },
      ]);
      expect((await linkctl(['edit', '-f', file, '-n'])).stderr).toBe(`0 links would be changed, 2 unchanged\n${nothing}`);
    },
  );

  test('B84: the links are read once for the rows and the requests of -v', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'edits.csv');
    const domain = edition === 'a' ? ['--domain', 'localhost'] : [];
    writeFileSync(file, 'hash,note\nh1,q\nown,new\n');
    for (const words of [
      ['edit', 'h1', 'none', '--note', 'q'],
      ['edit', 'h1', '--note', 'q', '--no-undo'],
      ['edit', '-f', file, ...domain],
      ['delete', 'h1', 'none'],
      ['stats', '--reset', 'h1'],
    ]) {
      const before = (await sent(wire)).length;
      const ran = await linkctl([...words, '-n', '-v']);
      expect(ran.stderr).toMatch(/^(PATCH|DELETE) .*\bh1\b/m);
      const calls = (await sent(wire)).slice(before).map(({ call }) => call);
      expect(calls.filter((call) => /^GET .*\bh1\b/.test(call))).toHaveLength(1);
    }
  });

  test('W2: csv has no word for a note that is cleared, and says so', async ({ linkctl }) => {
    const words = ['edit', 'h1', '--note', '', '-n', '-o'];
    expect((await linkctl([...words, 'csv'])).stderr).toContain('warning: csv cannot clear a note: for edit -f, use -o jsonl\n');
    const { stdout, stderr } = await linkctl([...words, 'jsonl']);
    expect([JSON.parse(stdout).note, stderr]).toEqual(['', `1 link would be changed\n${nothing}`]);
  });

  test('W2: a terminal shows the plan, and rows where they are asked for', async ({ linkctl, wire }) => {
    const hashes = Array.from({ length: 8 }, (_, nth) => `h${nth}`);
    const screen = { terminal: { stdout: true, stderr: true }, columns: 80, env: { NO_COLOR: '1' } };
    const ran = await linkctl(['delete', ...hashes, '-n'], screen);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr.split('\n')).toEqual([
      '8 links would be deleted',
      ...hashes.slice(0, 5).map((hash) => `  http://localhost/${hash} -> https://example.com/${hash.slice(1)} (0 clicks)`),
      `  … and 3 more`,
      'clicks and creation order of deleted links cannot be restored',
      'dry run: nothing was sent',
      '',
    ]);
    const moved = await linkctl(['edit', 'h1', 'h2', '--url', 'https://new.example/', '-n'], { ...screen, env: {} });
    expect(moved.stderr).toContain('\u001b[4mnew.example');
    for (const rows of [
      ['--fields', 'hash,change'],
      ['-o', 'table'],
    ]) {
      const { stdout } = await linkctl(['delete', ...hashes, '-n', ...rows], screen);
      expect(stdout.split('\n').filter((line) => line.includes('delete'))).toHaveLength(8);
    }
    const unread = await linkctl(['delete', 'h0', '-n'], { ...screen, terminal: { stdout: true } });
    expect(unread.stdout).toMatch(/^HASH .*\nh0 .* delete\n$/);
    const verbose = await linkctl(['delete', 'h0', '-n', '-v']);
    expect(verbose.stderr).toContain('DELETE /urls/h0\n');
    expect(await changes(wire)).toEqual([]);
  });

  test('shorten says what would be made, tags what would become of them', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url,custom_hash,tags\nhttps://a.example/,a,"x,y"\nhttps://b.example/,,\n');
    const ran = await linkctl(['shorten', '-f', file, '--note', 'n', '-n', '--fields', 'long_url,custom_hash,note,tags']);
    expect(ran).toEqual({
      code: 0,
      stdout: 'https://a.example/\ta\tn\tx,y\nhttps://b.example/\t\tn\t\n',
      stderr: `2 URLs would be shortened\nnot checked: custom hashes\n${nothing}`,
    });
    expect((await linkctl(['tags', 'rename', 'a', 'b', '-n'])).stdout).toBe('a\trename to "b"\n');
    expect((await linkctl(['tags', 'delete', 'a', 'c', '-n'])).stdout).toContain('https://own.example/\ttags: -a\n');
    expect(await changes(wire)).toEqual([]);
  });

  test('W2: a selection by tags shows what would be changed of all that it selects', async ({ linkctl, wire }) => {
    const ran = await linkctl(['edit', '--by-tags', 'a', '--note', 'newer', '-n']);
    expect(ran).toMatchObject({ code: 0, stderr: `1 link would be changed\n${nothing}` });
    expect(ran.stdout).toMatch(/^own\t\thttps:\/\/own\.example\/\tnote: "new" -> "newer"\n$/);
    const { stderr } = await linkctl(['edit', '--search', 'example', '--filter', 'note=new', '--note', 'newer', '-n']);
    expect(stderr).toBe(`1 of 300 links would be changed, 299 not matching\n${nothing}`);
    expect(await changes(wire)).toEqual([]);
  });
});

describe('several domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('F5, W2: rows are named by their short URLs, and as csv change the same links', async ({ linkctl, service, folder }) => {
    for (const domain of ['a.example', 'b.example']) await store(service, numbered(2), domain);
    const stdin = 'b.example/h0\nb.example/h1\na.example/h1\n';
    const words = ['edit', '--hashes-from', '-', '--note', 'n', '-n'];
    const planned = await linkctl([...words, '-o', 'csv'], { stdin });
    expect(planned.stdout.split('\n').map((line) => line.split(',')[0])).toEqual([
      'short_url',
      'b.example/h0',
      'b.example/h1',
      'a.example/h1',
      '',
    ]);
    writeFileSync(join(folder, 'edits.csv'), planned.stdout);
    expect(await linkctl(['edit', '-f', join(folder, 'edits.csv')])).toMatchObject({ code: 0 });
    const links = [...(await stored(service, 'a.example')), ...(await stored(service, 'b.example'))];
    const noted = links.filter(({ note }) => note === 'n').map(({ short_url }) => short_url);
    expect(noted.sort()).toEqual(['a.example/h1', 'b.example/h0', 'b.example/h1']);
  });

  test.for<[string[]]>([[['-o', 'csv']], [['-o', 'csv', '-v']], [['-o', 'json']], [[]]])(
    'W2, B60: a selection is read once, as the change itself does, and shown with %j',
    async ([flags], { linkctl, service, wire }) => {
      for (const domain of ['a.example', 'b.example'])
        await store(service, numbered(2, { long_url: 'https://old.example/' }), domain);
      const words = ['rewrite', 'https://old.example', 'https://new.example', '--all-domains'];
      const listings = async () => (await sent(wire)).filter(({ call }) => call.startsWith('GET /urls')).length;
      expect(await linkctl([...words, '-n', ...flags])).toMatchObject({ code: 0 });
      const read = await listings();
      expect(await linkctl([...words, '--yes', '--max-affected', '9'])).toMatchObject({ code: 0 });
      expect((await listings()) - read).toBe(read);
    },
  );
});

describe('a file whose run was begun', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, nth) => `https://new.example/${nth}\n`).join('');

  test('B60: a dry run says which run would be resumed, and shows only what that would send', async ({
    linkctl,
    folder,
    wire,
  }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, rows(2000));
    await wire.script([{ only: { method: 'POST' } }, { only: { method: 'POST' }, ...faults.refuse(1303) }]);
    expect((await linkctl(['shorten', '-f', file])).code).toBe(7);
    const before = await changes(wire);
    const dry = await linkctl(['shorten', '-f', file, '-n', '--fields', 'long_url']);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stderr).toMatch(
      /^resuming run \S+: 1,000 of 2,000 rows are done; 1,000 URLs would be shortened\ndry run: nothing was sent\n$/,
    );
    expect(dry.stdout).toBe(rows(2000).split('\n').slice(1000).join('\n'));
    const { requests } = JSON.parse((await linkctl(['shorten', '-f', file, '-n', '-o', 'json'])).stdout);
    expect(requests).toHaveLength(1);
    expect(await changes(wire)).toEqual(before);
    expect((await linkctl(['shorten', '-f', file])).stderr).toContain('1000 of 2000 rows are done');
  });

  test('B60: a dry run of a completed file ends as the command would', async ({ linkctl, folder }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, rows(2));
    expect((await linkctl(['shorten', '-f', file])).code).toBe(0);
    const real = await linkctl(['shorten', '-f', file]);
    expect(real.code).toBe(2);
    expect(await linkctl(['shorten', '-f', file, '-n'])).toEqual(real);
    expect((await linkctl(['shorten', '-f', file, '-n', '--again'])).stderr).toContain('2 URLs would be shortened\n');
  });

  test('B60, B56: an edit that its run would refuse has no plan, and nobody is asked about it', async ({
    linkctl,
    folder,
    service,
    wire,
  }) => {
    await store(service, numbered(2));
    const file = join(folder, 'edits.csv');
    const write = (note: string) => writeFileSync(file, `hash,note\nh0,${note}\nh1,${note}\n`);
    const words = ['edit', '-f', file, '--batch-size', '1'];
    const refusals = async (line: readonly string[], complaint: string) => {
      const real = await linkctl(line);
      expect(real).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining(complaint) });
      expect(await linkctl([...line, '-n'])).toEqual(real);
      const asked = await linkctl(line, { terminal: { stdin: true, stderr: true }, stdin: 'y\n' });
      expect(asked).toMatchObject({ code: 9, stderr: expect.not.stringContaining('?') });
    };
    write('one');
    const patch = { only: { method: 'PATCH' } };
    await wire.script([patch, { ...patch, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    await refusals([...words, '--note', 'n'], 'was started with other flags');
    write('two');
    await refusals(words, 'edits.csv changed since the unfinished run ');
    expect((await linkctl([...words, '--again', '-n'])).stderr).toContain('2 links would be changed\n');
    expect((await linkctl([...words, '--again'])).code).toBe(0);
    write('one');
    await refusals([...words, '--again'], 'has used ');
    expect((await stored(service)).map(({ note }) => note)).toEqual(['two', 'two']);
  });

  test('B60: a dry run of an edit says that a new hash is not checked, if there is one', async ({ linkctl, folder, service }) => {
    await store(service, numbered(3));
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,custom_hash,note\nh0,h1,\nh2,h2,x\n');
    const note = 'not checked: custom hashes\ndry run: nothing was sent\n';
    const typed = await linkctl(['edit', 'h0', '--new-hash', 'h1', '-n']);
    expect(typed).toMatchObject({ code: 0, stderr: `1 link would be changed\n${note}` });
    expect((await linkctl(['edit', '-f', file, '-n'])).stderr).toBe(`2 links would be changed\n${note}`);
    const screen = await linkctl(['edit', 'h0', '--new-hash', 'h1', '-n'], { terminal: { stdout: true, stderr: true } });
    expect(screen.stderr).toContain(`\n${note}`);
    for (const more of [
      ['--note', 'x'],
      ['--new-hash', 'h0'],
    ]) {
      expect((await linkctl(['edit', 'h0', ...more, '-n'])).stderr).not.toContain('not checked');
    }
    expect((await linkctl(['edit', 'h0', '--new-hash', 'h1', '--yes'])).code).toBe(6);
  });

  test('B60: a dry run says that hashes and the domain are not checked, if there are any', async ({ linkctl }) => {
    const words = ['shorten', 'https://new.example/', '-n'];
    expect((await linkctl(words)).stderr).not.toContain('not checked');
    expect((await linkctl([...words, '--hash', 'h1'])).stderr).toContain('not checked: custom hashes\n');
    expect((await linkctl([...words, '--hash', 'h1', '--on-conflict', 'skip'])).stderr).not.toContain('not checked');
    expect((await linkctl([...words, '--domain', 'localhost'])).stderr).toContain('not checked: --domain\n');
  });
});

describe('B60: commands that change something and have no plan to show', () => {
  const lines = [
    'auth login --base-url URL --username ann --with-key',
    'auth switch other',
    'auth logout',
    'auth logout --all',
    'config set output json',
    'config unset output',
    'runs forget last',
    'report --html FILE',
    'serve',
    'serve --backup FILE',
  ];

  test.for(lines)('linkctl %s -n is exit 2, and nothing is changed', async (line, { linkctl, homeEnv, folder, wire }) => {
    const home = runnerIn(homeEnv);
    const profiles = { work: { base_url: wire.baseUrl, username: 'ann', edition: 'a', output: 'csv' }, other: {} };
    await linkctl(['config', 'set', 'undo', 'on', '-p', 'sandbox']);
    const config = join(folder, '.config', 'linkctl', 'config.json');
    writeFileSync(config, JSON.stringify({ current_profile: 'work', profiles }));
    await linkctl(['shorten', 'https://new.example/']);
    const before = { config: readFileSync(config, 'utf8'), runs: (await home(['runs'])).stdout, calls: await sent(wire) };
    const file = join(folder, 'made');
    const words = line.replace('URL', wire.baseUrl).replace('FILE', file).split(' ');
    const command = words.slice(0, words[0] === 'report' || words[0] === 'serve' ? 1 : 2).join(' ');
    for (const flag of ['-n', '--dry-run']) {
      expect(await home([...words, flag], { stdin: 'key' })).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: --dry-run does not apply to linkctl ${command}\n`,
      });
    }
    const after = { config: readFileSync(config, 'utf8'), runs: (await home(['runs'])).stdout, calls: await sent(wire) };
    expect(after).toEqual(before);
    expect(existsSync(file)).toBe(false);
  });

  test('they are all that neither have a plan nor only read, so that none that is new is forgotten', async () => {
    const leaves = (command: Command): Command[] => (command.commands.length > 0 ? command.commands.flatMap(leaves) : [command]);
    const refusing = leaves(await wholeProgram()).filter((command) => {
      const { globals = [], onlyReads } = descriptionOf(command);
      return !onlyReads && !globals.includes('--dry-run');
    });
    const names = refusing.map((command) => (command.parent?.parent ? `${command.parent.name()} ` : '') + command.name());
    expect(names.filter((name) => !lines.some((line) => line.startsWith(name)))).toEqual([]);
  });

  test.for(['auth status --offline', 'auth list', 'config list', 'config path', 'runs', 'list', 'tags', 'completion bash'])(
    'linkctl %s only reads, so -n makes no difference',
    async (line, { linkctl }) => {
      const words = line.split(' ');
      expect(await linkctl([...words, '-n'])).toEqual(await linkctl(words));
    },
  );
});
