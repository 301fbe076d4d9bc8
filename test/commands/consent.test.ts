import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
const piped = { ...watched, terminal: { stdout: true, stderr: true } };

/** The requests that change something. */
async function changes(wire: Parameters<typeof sent>[0]): Promise<number> {
  return (await sent(wire)).filter(({ call }) => !call.startsWith('GET')).length;
}

describe.each(['a', 'b'] as const)('B56 in edition %s', (edition) => {
  test.override({ edition });

  const edits = [
    ['a file of rows', 'edits.csv', ['-f'], 'hash,note\nh0,n\nh1,n\nnope,n\n'],
    ['a list', 'hashes.txt', ['--note', 'n', '--hashes-from'], 'h0\nh1\nnope\n'],
  ] as const;

  test.for(edits)(
    'editing from %s asks on a terminal: a no changes nothing',
    async ([, name, words, text], { linkctl, wire, service, folder }) => {
      await store(service, numbered(2));
      const path = join(folder, name);
      writeFileSync(path, text);
      const no = await linkctl(['edit', ...words, path], { ...watched, stdin: '\n' });
      expect(no).toMatchObject({ code: 1, stdout: '' });
      expect(no.stderr).toContain('http://localhost/h0: note: "" -> "n"\n');
      expect(no.stderr).toMatch(
        /not found \(1\): nope\nEdit 2 links of account "ann" on .*\? \[y\/N\] error: aborted: nothing was changed\n$/,
      );
      expect(await changes(wire)).toBe(0);
      expect((await linkctl(['edit', ...words, path], { ...watched, stdin: 'y\n' })).code).toBe(3);
      expect((await stored(service)).map(({ note }) => note)).toEqual(['n', 'n']);
    },
  );

  test.for(edits)(
    'editing from %s asks nothing off a terminal, nor with --yes: scripts keep working (W3)',
    async ([, name, words, text], { linkctl, wire, service, folder }) => {
      await store(service, numbered(2));
      const path = join(folder, name);
      writeFileSync(path, text);
      expect((await linkctl(['edit', ...words, path])).code).toBe(3);
      const calls = (await sent(wire)).length;
      const yes = await linkctl(['edit', ...words, path, '--yes'], watched);
      expect(yes.stderr).not.toContain('Edit 2 links');
      // The same but for the change: the links are so already (W3).
      expect((await sent(wire)).length - calls).toBe(calls - 1);
    },
  );

  test('W3: the question shows what is otherwise; what it read is not read again, and what stays as it is is not sent', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, [...numbered(3), { custom_hash: 'same', long_url: 'https://new.example/same' }]);
    const path = join(folder, 'edits.csv');
    const rows = ['h0', 'h1', 'same', 'nope'].map((hash) => `${hash},https://new.example/${hash}\n`);
    writeFileSync(path, `hash,long_url\n${rows.join('')}`);
    const ran = await linkctl(['edit', '-f', path], { ...watched, stdin: 'y\n' });
    expect(ran.code).toBe(3);
    expect(ran.stderr.split('\n').slice(0, 9)).toEqual([
      '2 links would be changed, 1 unchanged, 1 not found',
      '  http://localhost/h0',
      '    - https://example.com/0',
      '    + https://new.example/h0',
      '              ~~~~~~~~~~~~~~',
      '  http://localhost/h1',
      '    - https://example.com/1',
      '    + https://new.example/h1',
      '              ~~~~~~~~~~~~~~',
    ]);
    const calls = (await sent(wire)).filter(({ call }) => call.includes('/urls'));
    const nope = calls.filter(({ call }) => call.includes('hashes=nope'));
    expect(calls.length - nope.length).toBe(2);
    expect(calls.at(-1)?.body).toEqual({
      urls: ['h0', 'h1'].map((hash) => ({ hash, long_url: `https://new.example/${hash}` })),
    });
  });

  test('W3: of one row the change is in the question; of none that changes anything nothing is asked', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(1));
    const edit = (note: string, typed: string) =>
      linkctl(['edit', '-f', '-', '--input-format', 'csv'], { ...piped, stdin: `hash,note\nh0,${note}\n`, typed });
    expect((await edit('n', 'n\n')).stderr).toMatch(
      /^account "ann" on .*:\nEdit http:\/\/localhost\/h0: note: "" -> "n"\? \[y\/N\] error: aborted/,
    );
    expect(await changes(wire)).toBe(0);
    expect((await edit('n', 'y\n')).code).toBe(0);
    const again = await edit('n', '');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/^0 links would be changed, 1 unchanged\n/) });
    expect(await changes(wire)).toBe(1);
  });

  test('U3: a single edit on a terminal says before and after, and asks nothing', async ({ linkctl, service }) => {
    await store(service, numbered(2, { note: 'old' }));
    const ran = await linkctl(['edit', 'h0', '--url', 'https://new.example/', '--note', 'n'], watched);
    expect(ran).toEqual({
      code: 0,
      stdout: '✓ Changed h0: long_url: "https://example.com/0" -> "https://new.example/"; note: "old" -> "n"\n',
      stderr: expect.stringMatching(/^to undo it: linkctl undo \S+\n$/),
    });
    const two = await linkctl(['edit', 'h0', 'h1', '--note', 'two'], watched);
    expect(two.stdout).toBe('✓ Changed h0 → https://new.example/\n✓ Changed h1 → https://example.com/1\n');
  });

  test('W3, R 1.4: a run that was stopped shows what is left to change, and each row is changed once', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, numbered(6));
    const path = join(folder, 'edits.csv');
    writeFileSync(
      path,
      `hash,note\n${numbered(6)
        .map(({ custom_hash }) => `${custom_hash},n\n`)
        .join('')}`,
    );
    const pass = { only: { method: 'PATCH' } };
    await wire.script([pass, { ...faults.refuse(1303), ...pass }]);
    const words = ['edit', '-f', path, '--batch-size', '2', '--concurrency', '1'];
    const stopped = await linkctl(words, { ...watched, stdin: 'y\n' });
    expect(stopped).toMatchObject({ code: 7, stderr: expect.stringMatching(/^6 links would be changed\n/) });
    const on = await linkctl(words, { ...watched, stdin: 'y\n' });
    expect(on).toMatchObject({ code: 0, stderr: expect.stringMatching(/^4 links would be changed, 2 unchanged\n/) });
    expect(on.stderr).toMatch(/Edit 4 links of .*resuming run \S+: 2 of 6 rows are done\n/s);
    expect(await changes(wire)).toBe(4);
    expect((await stored(service)).map(({ note }) => note)).toEqual(Array(6).fill('n'));
  });

  test('from 100 links on the number that an edit changes is typed', async ({ linkctl, wire, service, folder }) => {
    await store(service, numbered(100));
    const path = join(folder, 'hashes.txt');
    writeFileSync(
      path,
      numbered(100)
        .map(({ custom_hash }) => custom_hash)
        .join('\n'),
    );
    const ran = await linkctl(['edit', '--note', 'n', '--hashes-from', path], { ...watched, stdin: 'y\n' });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/Edit 100 links of .*\? Type 100 to continue: /) });
    expect(ran.stderr).toContain('Type the number 100, not y: ');
    expect(await changes(wire)).toBe(0);
  });

  test.for([
    ['delete', []],
    ['edit', ['--note', 'n']],
    ['stats', ['--reset']],
  ] as const)('%s asks on the terminal where stdin is the list', async ([command, flags], { linkctl, wire, service }) => {
    await store(service, numbered(2));
    const words = [command, ...flags, '--hashes-from', '-'];
    const no = await linkctl(words, { ...piped, stdin: 'h0\nh1\n', typed: 'n\n' });
    expect(no).toMatchObject({ code: 1, stderr: expect.stringMatching(/2 links of account .*\? \[y\/N\] error: aborted/) });
    expect(await changes(wire)).toBe(0);
    expect((await linkctl(words, { ...piped, stdin: 'h0\nh1\n', typed: 'y\n' })).code).toBe(0);
    expect(await changes(wire)).toBe(1);
  });

  test('rows from stdin are asked about on the terminal, too', async ({ linkctl, wire, service }) => {
    await store(service, numbered(1));
    const words = ['edit', '-f', '-', '--input-format', 'csv'];
    expect((await linkctl(words, { ...piped, stdin: 'hash,note\nh0,n\n', typed: 'n\n' })).code).toBe(1);
    expect(await changes(wire)).toBe(0);
  });

  test('B54: stdin that is not the input answers nothing, whatever terminal there is', async ({ linkctl, wire, service }) => {
    await store(service, numbered(1));
    expect((await linkctl(['delete', 'h0'], { ...piped, typed: 'y\n' })).code).toBe(2);
    expect(await wire.requests()).toEqual([]);
  });
});

describe('several domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('F5, B58: the plan names the links of both, the question the domains of those that would be changed', async ({
    linkctl,
    service,
  }) => {
    for (const domain of ['a.example', 'b.example']) await store(service, numbered(2), domain);
    const edit = (stdin: string) => linkctl(['edit', '--hashes-from', '-', '--note', 'n'], { ...piped, stdin, typed: 'y\n' });
    const both = await edit('b.example/h0\na.example/h0\nb.example/none\n');
    expect(both.stderr.split('\n').slice(0, 5)).toEqual([
      '2 links would be changed, 1 not found',
      '  note: "" -> "n"  2',
      expect.stringMatching(/b\.example\/h0: note: "" -> "n"$/),
      expect.stringMatching(/a\.example\/h0: note: "" -> "n"$/),
      '  not found (1): b.example/none',
    ]);
    expect(both.stderr).toMatch(/\nEdit 2 links of account "ann" on \S+, domains b\.example and a\.example\? \[y\/N\] /);
    const notes = async (domain: string) => (await stored(service, domain)).map(({ note }) => note);
    expect([await notes('a.example'), await notes('b.example')]).toEqual([
      ['n', ''],
      ['n', ''],
    ]);
    expect((await edit('b.example/h1\nb.example/h0\n')).stderr).toMatch(
      /Edit 1 link of account "ann" on \S+, domain b\.example\? /,
    );
  });
});

test('two answers that arrive at once answer two questions', async ({ linkctl, service }) => {
  await store(service, numbered(2, { tags: ['t'] }));
  const ran = await linkctl(['delete', '--by-tags', 't'], { ...watched, stdin: 'y\n2\n' });
  expect(ran.code).toBe(0);
  expect(await stored(service)).toEqual([]);
});

describe('several domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('B58: the question about a whole domain names it, also if it is the default', async ({ linkctl, service }) => {
    await store(service, numbered(2), 'a.example');
    for (const words of [['--all'], ['--search', 'example.com']]) {
      const ran = await linkctl(['delete', ...words], { ...watched, stdin: '\n' });
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/Delete 2 links of [^?]*,\sdomain a\.example\?/) });
    }
  });
});
