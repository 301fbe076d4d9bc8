import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { apiKey, sent, sure, username } from '../support/linkctl.ts';
import { screenOf } from '../support/terminal.ts';
import { test } from './world.ts';

const nobody = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '', LINKCTL_EDITION: '' };

describe('auth login', () => {
  test('B65: asks step by step, hides the key, and says who logged in', async ({ open, wire, folder }) => {
    const terminal = open(['auth', 'login'], { env: nobody });
    await terminal.sees('Profile name [default]: ');
    terminal.type('work\n');
    await terminal.sees('Base URL of the API, such as example.com: ');
    terminal.type(`${wire.baseUrl}\n`);
    await terminal.sees('Username: ');
    terminal.type(`${username}\n`);
    await terminal.sees('API key: ');
    await terminal.settles('-echo');
    terminal.type(`${apiKey}\n`);
    const { code, shown } = await terminal.ended();
    expect(code).toBe(0);
    expect(screenOf(shown).slice(-4).join(' ')).toMatch(/ ✓ Logged in to \S+ as ann \(edition A.*\), profile "work" $/);
    expect(shown).not.toContain(apiKey);
    expect(terminal.settings()).toContain('echo');
    expect(readFileSync(join(folder, '.config', 'linkctl', 'config.json'), 'utf8')).toContain(apiKey);
  });

  test.for([
    ['Ctrl-C', 'SIGINT'],
    ['a SIGTERM', 'SIGTERM'],
  ] as const)('R-18, B41: %s at the hidden question gives the terminal back', async ([what, signal], { open, wire }) => {
    const terminal = open(['auth', 'login', '-p', 'work', '--base-url', wire.baseUrl, '--username', username], { env: nobody });
    await terminal.sees('API key: ');
    await terminal.settles('-echo');
    if (what === 'Ctrl-C') terminal.type('\u0003');
    else process.kill(terminal.processId(), signal);
    const { code, signal: died, shown } = await terminal.ended();
    expect({ code, died }).toEqual({ code: null, died: signal });
    expect(screenOf(shown).slice(0, 2)).toEqual(['API key:', 'interrupted']);
    expect(terminal.settings()).toEqual(expect.arrayContaining(['echo', 'icanon', 'isig']));
  });

  test('B41: Ctrl-C at a question that is not hidden says so on a line of its own', async ({ open }) => {
    const terminal = open(['auth', 'login'], { env: nobody });
    await terminal.sees('Profile name [default]: ');
    terminal.type('\u0003');
    const { signal, shown } = await terminal.ended();
    expect(signal).toBe('SIGINT');
    expect(screenOf(shown).slice(0, 2)).toEqual(['Profile name [default]: ^C', 'interrupted']);
  });

  test('B59: the end of the input is a no', async ({ open }) => {
    const terminal = open(['auth', 'login', '--no-color'], { env: nobody });
    await terminal.sees('Profile name [default]: ');
    terminal.type('\u0004');
    const { code, shown } = await terminal.ended();
    expect(code).toBe(1);
    expect(screenOf(shown)[1]).toBe('error: aborted: nothing was changed');
  });

  test('D47: a profile name and a base URL are looked at right away, and asked for again where they cannot be', async ({
    open,
    wire,
    folder,
  }) => {
    const { origin, host } = new URL(wire.baseUrl);
    const terminal = open(['auth', 'login', '--no-color'], { env: nobody });
    await terminal.sees('Profile name [default]: ');
    terminal.type(`${origin}\n`);
    await terminal.sees('error: profile name');
    await terminal.sees('Profile name [default]: ');
    terminal.type('work\n');
    await terminal.sees('Base URL of the API, such as example.com: ');
    terminal.type('not an address\n');
    await terminal.sees('error: --base-url: expected a host or a URL');
    await terminal.sees('Base URL of the API, such as example.com: ');
    terminal.type(`${origin}/elsewhere\n`);
    await terminal.sees(`error: the API is not at ${origin}/elsewhere`);
    await terminal.sees('Base URL of the API, such as example.com: ');
    terminal.type(`${host}\n`);
    await terminal.sees('Username: ');
    terminal.type(`${username}\n`);
    await terminal.sees('API key: ');
    await terminal.settles('-echo');
    terminal.type(`${apiKey}\n`);
    expect((await terminal.ended()).code).toBe(0);
    const config = JSON.parse(readFileSync(join(folder, '.config', 'linkctl', 'config.json'), 'utf8'));
    expect(config.profiles.work.base_url).toBe(`${origin}/tiny/api/3`);
  });

  test('B65: answers that are pasted in one go are taken one after the other', async ({ open, wire }) => {
    const terminal = open(['auth', 'login'], { env: nobody });
    await terminal.sees('Profile name [default]: ');
    terminal.type(`\n${wire.baseUrl}\nannn\u007f\n`);
    await terminal.sees('API key: ');
    await terminal.settles('-echo');
    terminal.type(`${apiKey}\n`);
    expect(await terminal.ended()).toMatchObject({ code: 0, shown: expect.stringContaining('as ann') });
  });

  test.for([
    ['an arrow', '\u001b[D'],
    ['Ctrl-Z', '\u001a'],
  ])('B65, B45: %s in the hidden key is an error that names the typed key', async ([, typed = ''], { open, wire }) => {
    const terminal = open(['auth', 'login', '-p', 'work', '--base-url', wire.baseUrl, '--username', username, '--no-color'], {
      env: nobody,
    });
    await terminal.sees('API key: ');
    await terminal.settles('-echo');
    terminal.type(`${typed}${apiKey}\n`);
    const { code, shown } = await terminal.ended();
    expect(code).toBe(2);
    expect(screenOf(shown).join(' ')).toContain('error: the typed key: expected only the key, on one line, without control');
  });

  test('B65: --with-key on a terminal asks with echo off', async ({ open, wire }) => {
    const terminal = open(['auth', 'login', '-p', 'work', '--base-url', wire.baseUrl, '--username', username, '--with-key'], {
      env: nobody,
    });
    await terminal.sees('API key: ');
    await terminal.settles('-echo');
    terminal.type(`${apiKey}x\u007f\n`);
    expect((await terminal.ended()).code).toBe(0);
  });
});

test('auth logout without a name asks before it deletes the profile in use; with one it does not', async ({
  open,
  wire,
  folder,
}) => {
  const env = { ...nobody, LINKCTL_PROFILE: 'work' };
  const file = join(folder, '.config', 'linkctl', 'config.json');
  const profile = { base_url: wire.baseUrl, username, api_key: apiKey };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ current_profile: 'other', profiles: { work: profile, other: profile } }), { mode: 0o600 });
  const stored = () => Object.keys(JSON.parse(readFileSync(file, 'utf8')).profiles);
  const declined = open(['auth', 'logout'], { env });
  await declined.sees('Delete profile "work" and its API key? [y/N] ');
  declined.type('\n');
  expect((await declined.ended()).code).toBe(1);
  expect(stored()).toEqual(['work', 'other']);
  const accepted = open(['auth', 'logout'], { env });
  await accepted.sees('[y/N] ');
  accepted.type('y\n');
  expect((await accepted.ended()).code).toBe(0);
  expect(stored()).toEqual(['other']);
  const named = await open(['auth', 'logout', 'other'], { env: nobody }).ended();
  expect(named).toMatchObject({ code: 0, shown: expect.not.stringContaining('[y/N]') });
  expect(stored()).toEqual([]);
});

test('B54, B59: auth logout --all asks before it deletes every profile, and --yes answers', async ({ open, wire, folder }) => {
  const file = join(folder, '.config', 'linkctl', 'config.json');
  const profile = { base_url: wire.baseUrl, username, api_key: apiKey };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ current_profile: 'work', profiles: { work: profile, other: profile } }), { mode: 0o600 });
  const stored = () => Object.keys(JSON.parse(readFileSync(file, 'utf8')).profiles);
  const declined = open(['auth', 'logout', '--all'], { env: nobody });
  await declined.sees('Delete profiles "work", "other" and their API keys? [y/N] ');
  declined.type('\n');
  expect((await declined.ended()).code).toBe(1);
  expect(stored()).toEqual(['work', 'other']);
  const agreed = await open(['auth', 'logout', '--all', '--yes'], { env: nobody }).ended();
  expect(agreed).toMatchObject({ code: 0, shown: expect.not.stringContaining('[y/N]') });
  expect(stored()).toEqual([]);
});

describe('questions before a change', () => {
  const question = 'Delete tag "old", used by no link, of account "ann" on ';

  test('B56, B58: tags delete names the tag, the account and the host, and y continues', async ({ linkctl, open }) => {
    await linkctl(['tags', 'add', 'old']);
    const terminal = open(['tags', 'delete', 'old']);
    await terminal.sees(question);
    await terminal.sees('? [y/N] ');
    terminal.type('y\n');
    expect(await terminal.ended()).toMatchObject({ code: 0, shown: expect.stringContaining('Deleted tag "old"') });
    expect((await linkctl(['tags'])).stdout).toBe('');
  });

  test('B56, B59: a mere Enter is a no: exit 1, and nothing was sent', async ({ linkctl, open, wire }) => {
    await linkctl(['tags', 'add', 'old']);
    const before = (await sent(wire)).length;
    const terminal = open(['tags', 'delete', 'old', '--no-color']);
    await terminal.sees('[y/N] ');
    terminal.type('\n');
    const { code, shown } = await terminal.ended();
    expect(code).toBe(1);
    expect(screenOf(shown).at(-2)).toBe('error: aborted: nothing was changed');
    expect((await sent(wire)).slice(before).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
  });

  test('B54: --yes is checked first, also where nobody could be asked', async ({ linkctl, open }) => {
    await linkctl(['tags', 'add', 'old']);
    expect(await open(['tags', 'delete', 'old', ...sure, '--no-input']).ended()).toMatchObject({ code: 0 });
  });

  test('B54: a pipe on stderr is nobody who could answer', async ({ open }) => {
    const { shown } = await open([], { shell: '$linkctl tags delete old 2>&1 >/dev/tty | cat' }).ended();
    expect(shown).toContain('error: --yes required when not running interactively');
  });

  test('W2, W3, B29: edit -f shows the plan in colour with server text made safe, and y changes what it shows', async ({
    linkctl,
    open,
    folder,
    wire,
  }) => {
    const hashes = ['one', 'two'];
    for (const hash of hashes) await linkctl(['shorten', `https://old.example/${hash}`, '--hash', hash, '--note', 'a\u202eb']);
    const path = join(folder, 'edits.csv');
    writeFileSync(path, `hash,long_url,note\n${hashes.map((hash) => `${hash},https://new.example/${hash},c\n`).join('')}`);
    const terminal = open(['edit', '-f', path], { columns: 60 });
    await terminal.sees('2 links would be changed');
    await terminal.sees('old.example -> new.example; note: "a\\u202eb" -> "c"  2');
    await terminal.sees('https://\u001b[31m\u001b[4mold.example\u001b[24m\u001b[39m/one');
    await terminal.sees('Edit 2 links of account "ann" on ');
    await terminal.sees('? [y/N] ');
    expect((await sent(wire)).filter(({ call }) => call.startsWith('PATCH'))).toEqual([]);
    terminal.type('y\n');
    const { code, shown } = await terminal.ended();
    expect([code, shown.includes('\u202e')]).toEqual([0, false]);
    const listed = await linkctl(['list', '--fields', 'long_url,note']);
    expect(listed.stdout).toBe('https://new.example/two\tc\nhttps://new.example/one\tc\n');
  });

  test('B29: what a question shows of the server cannot drive the terminal', async ({ linkctl, open, wire }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    const record = {
      hash: 'node',
      short_url: 'x.y/node',
      long_url: 'https://a/\u001b[2J\u202e',
      total_clicks: 0,
      unique_clicks: 0,
      tags: [],
    };
    await wire.script([{ times: 'all', apply: false, answer: { body: { error: { code: 0, message: '' }, urls: [record] } } }]);
    const terminal = open(['delete', 'node']);
    await terminal.sees('[y/N] ');
    terminal.type('n\n');
    const { shown } = await terminal.ended();
    expect(shown).toContain('https://a/\\x1b[2J\\u202e');
    expect(shown).not.toContain('\u001b[2J');
  });
});

describe('stdin', () => {
  test('B42: -f - on a terminal says what it waits for, and Ctrl-D ends it', async ({ open }) => {
    const terminal = open(['shorten', '-f', '-']);
    await terminal.sees('reading URLs from the terminal; end with Ctrl-D');
    terminal.type('https://nodejs.org/\nhttps://example.com/\n\u0004');
    const { code, shown } = await terminal.ended();
    expect(code).toBe(0);
    expect(shown).toContain('2 rows: 2 created');
  });

  test('B42: --hashes-from - says so too', async ({ linkctl, open }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    const terminal = open(['list', '--hashes-from', '-']);
    await terminal.sees('reading hashes from the terminal; end with Ctrl-D');
    terminal.type('node\n\u0004');
    expect(await terminal.ended()).toMatchObject({ code: 0, shown: expect.stringContaining('https://nodejs.org/') });
  });

  test('B42: so does api --body -', async ({ linkctl, open }) => {
    const terminal = open(['api', 'POST', '/tags', '--body', '-']);
    await terminal.sees('reading the body from the terminal; end with Ctrl-D');
    terminal.type('{"label":"typed"}\n\u0004');
    expect((await terminal.ended()).code).toBe(0);
    expect((await linkctl(['tags'])).stdout).toBe('typed\n');
  });

  test.for([
    ['y', 0],
    ['n', 1],
  ] as const)(
    'B56: who typed the list answers %s on the same terminal, and the program ends',
    async ([answer, code], { linkctl, open }) => {
      await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
      const terminal = open(['delete', '--hashes-from', '-']);
      await terminal.sees('reading hashes from the terminal; end with Ctrl-D');
      terminal.type('node\n\u0004');
      await terminal.sees('[y/N] ');
      terminal.type(`${answer}\n`);
      expect((await terminal.ended()).code).toBe(code);
      expect((await linkctl(['list', 'node'])).code).toBe(code === 0 ? 5 : 0);
    },
  );

  test('U6: undo asks about the link with its destination, of a deletion, too', async ({ linkctl, open }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    await linkctl(['delete', 'node', '--yes']);
    for (const question of ['/node -> https://nodejs.org/? [y/N] ', '/node -> https://nodejs.org/ (0 clicks)? [y/N] ']) {
      const terminal = open(['undo']);
      await terminal.sees(question);
      terminal.type('y\n');
      expect((await terminal.ended()).code).toBe(0);
    }
  });

  test('a list that is bad ends before the question, and the program with it', async ({ open }) => {
    const terminal = open(['delete', '--hashes-from', '-']);
    await terminal.sees('reading hashes from the terminal; end with Ctrl-D');
    terminal.type('..\n\u0004');
    expect((await terminal.ended()).code).toBe(2);
  });
});
