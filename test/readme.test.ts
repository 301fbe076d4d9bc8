import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { withReference } from '../bin/build/reference.ts';
import { wholeTree } from '../src/cli/program.ts';
import { cronScript } from '../src/help/topics.ts';
import { programPath, runShell } from './support/built-program.ts';
import { test } from './support/linkctl.ts';
import { openTerminal, screenOf } from './support/terminal.ts';
import { needs } from './support/tools.ts';

const path = join(import.meta.dirname, '..', 'README.md');
const readme = readFileSync(path, 'utf8');
const remedy = 'not what the program prints: npm run generate';

/** A fenced block. A block after a comment is not replayed; the comment says why. */
interface Block {
  readonly comment: string | undefined;
  readonly language: string;
  readonly text: string;
}

const blocks: readonly Block[] = [...readme.matchAll(/(?:<!-- (.+) -->\n)?```(\w+)\n([\s\S]*?)```/g)].map(
  ([, comment, language = '', text = '']) => ({ comment, language, text }),
);

/** Commands in the order of the page, and what the page shows as their output. */
interface Step {
  readonly commands: string;
  /** Undefined where the page shows no output. */
  readonly output: string | undefined;
}

const steps: readonly Step[] = blocks.flatMap((block, index): Step[] => {
  if (block.comment || block.language === 'text') return [];
  if (block.language === 'console') return session(block.text);
  const next = blocks[index + 1];
  return [{ commands: block.text, output: next?.language === 'text' ? next.text : undefined }];
});

/** `$ command` and the lines below it. */
function session(text: string): Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.split(/(?<=\n)/);
      return { commands: command, output: output.join('') };
    });
}

/** Shown between the outputs, and the command that shows it. */
const separator = '\u001e';
const separate = "printf '\\036'";

/** Two ports that nobody has at the moment, of four digits as in the README, so that tables are as wide. */
async function freePorts(): Promise<[string, string]> {
  const ports: string[] = [];
  for (let port = 2000 + (process.pid % 7000); ports.length < 2; port += 1) {
    const server = createServer().listen(port, '127.0.0.1');
    if (await once(server, 'listening').catch(() => undefined)) {
      ports.push(String(port));
      await once(server.close(), 'close');
    }
  }
  return ports as [string, string];
}

/** What is another at every run: the name of a run, ports that the system chose, dates and seconds. */
function masked(text: string): string {
  return text
    .replace(/\d{8}-\d{6}-[0-9a-f]{8}/g, '<run>')
    .replace(/127\.0\.0\.1:\d+/g, '<host>')
    .replace(/\d{4}-\d\d-\d\d(T[\d:]+Z)?/g, '<date>')
    .replace(/\d+\.\d s/g, '<seconds>');
}

/** Clicks are stored some milliseconds after the redirect. */
function settled(commands: string): string {
  return commands.startsWith('curl') ? 'sleep 1\n' : '';
}

function writeProgram(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A folder with the program where the page expects it, on ports that are free. */
async function freshMachine(folder: string): Promise<{ begin: string; typed: string[]; outputs: (shown: string) => string[] }> {
  const [first, second] = await freePorts();
  const [clone, tools] = [join(folder, 'clone'), join(folder, 'tools')];
  writeProgram(
    join(clone, 'bin', 'linkctl.js'),
    `[ "$1" = serve ] && case "$*" in *--port*) ;; *) set -- "$@" --port ${first} ;; esac\nexec ${process.execPath} ${programPath} "$@"`,
  );
  writeProgram(join(tools, 'npm'), '[ "$1" = ci ]');
  writeProgram(join(tools, 'mail'), 'exit 1');
  return {
    begin: `cd '${clone}'; export PATH="${tools}:$PATH" NO_COLOR=1`,
    typed: steps.map(({ commands }) => `${commands.replaceAll('8787', first).replaceAll('8788', second)}${settled(commands)}`),
    // As on the screen in the end: on a slow machine progress was shown for a while.
    outputs: (shown) =>
      shown
        .split(separator)
        .slice(1, -1)
        .map((output) => screenOf(output).join('\n').replaceAll(first, '8787').replaceAll(second, '8788')),
  };
}

/** Runs every step in one shell on a terminal of 132 columns, and gives the output of each. */
async function replay(folder: string, env: Record<string, string>): Promise<string[]> {
  needs('bash', 'curl', 'python3');
  const machine = await freshMachine(folder);
  const script = [
    `trap 'kill $(jobs -p) 2> /dev/null' EXIT; set -e -o pipefail; ${machine.begin}`,
    ...machine.typed.map((commands) => `${separate}\n${commands}`),
    separate,
  ].join('\n');
  const terminal = openTerminal([], { env, columns: 132, shell: script });
  try {
    const { code, shown } = await terminal.ended();
    const outputs = machine.outputs(shown);
    expect({ code, outputs: outputs.length }, shown).toEqual({ code: 0, outputs: steps.length });
    return outputs;
  } finally {
    terminal.close();
  }
}

/** Types every step into an interactive zsh as its makers ship it: one with neither comments nor patterns that match nothing. */
async function typedIntoZsh(folder: string, env: Record<string, string>): Promise<string[]> {
  needs('zsh', 'curl', 'python3');
  const machine = await freshMachine(folder);
  const shell = "stty -echo; PS1='' PS2='' exec zsh -f -i +o zle +o prompt_sp +o prompt_cr";
  const terminal = openTerminal([], { env, columns: 132, shell });
  try {
    for (const commands of [`${machine.begin}\n`, ...machine.typed]) {
      terminal.type(`${commands}${separate}\n`);
      await terminal.sees(separator);
    }
    terminal.type('kill %1 %2; exit\nexit\n');
    const outputs = machine.outputs((await terminal.ended()).shown);
    return outputs.map((output) => output.replace(/^\[\d+\] .*\n/gm, ''));
  } finally {
    terminal.close();
  }
}

/** The page with the output that its commands have now. */
function withOutputs(outputs: readonly string[]): string {
  let renewed = '';
  let rest = readme;
  steps.forEach(({ commands, output }, index) => {
    const end = rest.indexOf(commands) + commands.length;
    renewed += rest.slice(0, end);
    rest = rest.slice(end);
    if (output === undefined) return;
    const start = rest.startsWith('```\n```text\n') ? '```\n```text\n'.length : 0;
    const actual = outputs[index] ?? '';
    renewed += rest.slice(0, start) + (masked(actual) === masked(output) ? output : actual);
    rest = rest.slice(start + output.length);
  });
  return renewed + rest;
}

test('the README says how to end the server not before its last block that needs it', () => {
  expect(readme.match(/kill %1/g)).toHaveLength(1);
  expect(readme.indexOf('kill %1')).toBeGreaterThan(readme.indexOf('`check` asks each destination'));
});

test('every command of the README works when pasted, in order, and prints what the README shows', async ({ homeEnv, folder }) => {
  const outputs = await replay(folder, homeEnv);
  for (const output of outputs) expect(output).not.toMatch(/^(error|internal error|warning):/m);
  const page = withReference(withOutputs(outputs), await wholeTree());
  await expect(page, remedy).toMatchFileSnapshot(path);
});

test('every command of the README works when pasted into zsh, and prints the same', async ({ homeEnv, folder }) => {
  const outputs = await typedIntoZsh(folder, homeEnv);
  for (const output of outputs) expect(output).not.toMatch(/^(zsh|error|internal error|warning):/m);
  expect(masked(withOutputs(outputs))).toBe(masked(readme));
});

describe('the script for cron of linkctl help exit-codes', () => {
  /** A folder with the script, where `linkctl` and `mail` are these programs. */
  function withScript(folder: string, linkctl: string) {
    needs('flock');
    const [outbox, tools, mails] = [join(folder, 'outbox'), join(folder, 'tools'), join(folder, 'mails')];
    writeProgram(join(tools, 'linkctl'), linkctl);
    writeProgram(join(tools, 'mail'), `{ echo "$2"; cat; } >> ${mails}`);
    mkdirSync(outbox);
    writeFileSync(join(folder, 'job.sh'), cronScript.join('\n'));
    const filesIn = (name: string): string[] =>
      existsSync(join(folder, name))
        ? readdirSync(join(folder, name)).flatMap((day) => readdirSync(join(folder, name, day)))
        : [];
    return {
      put: (name: string, ...rows: string[]) =>
        writeFileSync(join(outbox, name), `long_url,custom_hash\n${rows.map((row) => `${row}\n`).join('')}`),
      tick: (env: Record<string, string>, shell = 'sh') =>
        runShell(`PATH=${tools}:$PATH; cd ${folder}; ${shell} job.sh; code=$?; sleep 1; exit $code`, {
          LINKCTL_PROFILE: 'sandbox',
          ...env,
        }),
      waiting: () => readdirSync(outbox),
      csvIn: (name: string) => filesIn(name).filter((file) => file.endsWith('.csv')),
      /** The hashes that each run of the script made, in the order of the names of the results. */
      done: () =>
        readdirSync(join(folder, 'done')).map((day) =>
          readdirSync(join(folder, 'done', day))
            .filter((file) => file.endsWith('.results'))
            .flatMap((file) =>
              readFileSync(join(folder, 'done', day, file), 'utf8')
                .split('\n')
                .slice(1, -1),
            )
            .map((row) => row.split(',')[2]),
        ),
      mailed: () => (existsSync(mails) ? readFileSync(mails, 'utf8') : ''),
    };
  }
  const program = `${process.execPath} ${programPath} "$@"`;
  const quiet = { code: 0, stdout: '', stderr: '' };

  test('shortens each file once, whatever its name, continues after a limit and mails what needs a person', async ({
    homeEnv,
    folder,
  }) => {
    const job = withScript(folder, `exec ${program} $MORE`);
    job.put('new.csv', 'https://example.com/1,one');
    expect(await job.tick(homeEnv)).toMatchObject(quiet);
    expect([job.waiting(), job.done()]).toEqual([[], [['one']]]);

    job.put('new.csv', ...Array.from({ length: 6 }, (_, index) => `https://example.com/2,two-${index}`));
    expect(await job.tick({ ...homeEnv, MORE: '--batch-size 2 --budget 4' })).toMatchObject({ code: 0 });
    expect(job.waiting()).toContain('new.csv');
    expect(await job.tick(homeEnv)).toMatchObject(quiet);
    const two = Array.from({ length: 6 }, (_, index) => `two-${index}`);
    expect([job.waiting(), job.done(), job.mailed()]).toEqual([[], [['one'], two], '']);

    job.put('new.csv', 'https://example.com/3,one');
    expect(await job.tick(homeEnv)).toMatchObject({ code: 0 });
    expect([job.waiting(), job.done()]).toEqual([[], [['one'], two]]);
    expect(job.mailed()).toMatch(/^outbox\/new\.csv: rejected\nerror: .*\bone\b/);
  });

  test.for(['sh', 'bash'])(
    'J5: in %s a file whose name begins with that of another is processed, too, and not moved with it',
    async (shell, { homeEnv, folder }) => {
      const job = withScript(folder, `exec ${program}`);
      job.put('my links.csv', 'https://example.com/1,one');
      job.put('my links.csv.2 more.csv', 'https://example.com/2,two');
      expect(await job.tick(homeEnv, shell)).toMatchObject(quiet);
      expect([job.waiting(), job.done(), job.mailed()]).toEqual([[], [['two', 'one']], '']);
    },
  );

  test('J5: leaves a file to the run that is working on it', async ({ homeEnv, folder }) => {
    // While the first run waits for the program, another one begins.
    const job = withScript(folder, `${program}; code=$?; [ -z "$OTHER" ] || OTHER= sh job.sh; exit $code`);
    job.put('new.csv', 'https://example.com/1,one', 'https://example.com/2,two');
    expect(await job.tick({ ...homeEnv, OTHER: 'yes' })).toMatchObject(quiet);
    expect([job.waiting(), job.done(), job.mailed()]).toEqual([[], [['one', 'two']], '']);
  });

  test('J5: moves a file that was done before a crash, with its results', async ({ homeEnv, folder }) => {
    const job = withScript(folder, `${program}; code=$?; [ -z "$CRASH" ] || kill -9 $PPID; exit $code`);
    job.put('new.csv', 'https://example.com/1,one', 'https://example.com/2,two');
    expect(await job.tick({ ...homeEnv, CRASH: 'yes' })).toMatchObject({ code: 137 });
    expect(job.waiting()).toContain('new.csv');
    expect(await job.tick(homeEnv)).toMatchObject(quiet);
    expect([job.waiting(), job.done(), job.mailed()]).toEqual([[], [['one', 'two']], '']);
  });

  test('J5: puts a file aside that has rejected rows, was done before, or both', async ({ homeEnv, folder }) => {
    const job = withScript(folder, `${program}; code=$?; [ -z "$CRASH" ] || kill -9 $PPID; exit $code`);
    job.put('new.csv', 'https://example.com/1,one');
    await job.tick(homeEnv);
    job.put('again.csv', 'https://example.com/1,one');
    expect(await job.tick(homeEnv)).toMatchObject(quiet);
    job.put('taken.csv', 'https://example.com/2,one', 'https://example.com/3,three');
    expect(await job.tick({ ...homeEnv, CRASH: 'yes' })).toMatchObject({ code: 137 });
    expect(await job.tick(homeEnv)).toMatchObject(quiet);
    expect([job.waiting(), job.csvIn('done'), job.csvIn('rejected')]).toEqual([[], ['new.csv'], ['again.csv', 'taken.csv']]);
    expect(job.mailed().match(/^error: .* already completed/gm)).toHaveLength(2);
  });

  test('J5: puts a file aside whose finished run does not know of all rows whether they have links', async ({
    homeEnv,
    folder,
  }) => {
    const refusal = "echo 'error: new.csv was already completed by run 1 (1 unknown)' >&2";
    const job = withScript(
      folder,
      `printf 'row,status\\n1,created,\\n2,unknown,\\n' > "$FOLDER/outbox/new.csv.results"; ${refusal}; exit 2`,
    );
    job.put('new.csv', 'https://example.com/1,one');
    expect(await job.tick({ ...homeEnv, FOLDER: folder })).toMatchObject(quiet);
    expect([job.waiting(), job.csvIn('done'), job.csvIn('rejected')]).toEqual([[], [], ['new.csv']]);
  });

  test.for(['sh', 'bash'])(
    'E36: in %s a file that is rejected is put aside and mailed once, and the others go on',
    async (shell, { homeEnv, folder }) => {
      const job = withScript(folder, `exec ${program}`);
      job.put('a bad.csv', 'not a URL,');
      job.put('b.csv', 'https://example.com/1,one', 'https://example.com/2,two');
      job.put('c.csv', 'https://example.com/3,one', 'https://example.com/4,four');
      job.put('d.csv', 'https://example.com/5,five');
      for (let time = 0; time < 2; time += 1) expect(await job.tick(homeEnv, shell)).toMatchObject(quiet);
      expect([job.waiting(), job.csvIn('done'), job.csvIn('rejected')]).toEqual([[], ['b.csv', 'd.csv'], ['a bad.csv', 'c.csv']]);
      expect(job.mailed().match(/^outbox.*: rejected$/gm)).toEqual(['outbox/a bad.csv: rejected', 'outbox/c.csv: rejected']);
      expect(job.mailed()).toMatch(/^error: outbox\/a bad\.csv: 1 problem/m);
    },
  );

  test('E36: what no file is the reason of stops the script and says so', async ({ homeEnv, folder }) => {
    const job = withScript(folder, 'echo error: the key is refused >&2; exit 4');
    for (const name of ['a.csv', 'b.csv']) job.put(name, 'https://example.com/,');
    expect(await job.tick(homeEnv)).toMatchObject({ code: 1 });
    expect(job.waiting()).toEqual(expect.arrayContaining(['a.csv', 'b.csv']));
    expect(job.mailed()).toBe('linkctl needs you\nerror: the key is refused\n');
  });
});

test('the command to try makes a short link on a fresh machine', async ({ homeEnv }) => {
  const line = blocks.find(({ comment }) => comment === 'try')?.text ?? '';
  expect(line).toMatch(/^npm ci && node bin\/linkctl\.js /);
  const ran = await runShell(line.replace('npm ci && node bin/linkctl.js', '$linkctl'), homeEnv);
  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^http:\/\/localhost:8787\/\w+\n$/) });
});

test('the crontab records, mails each link that fails and nothing else, and writes the report', async ({ homeEnv, folder }) => {
  const server = createHttpServer(({ url }, response) => {
    response.writeHead(url === '/good' ? 200 : url === '/loop' ? 302 : 404, url === '/loop' ? { location: '/loop' } : {}).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tools = join(folder, 'tools');
  // Only the destinations of this test are on this computer.
  writeProgram(
    join(tools, 'linkctl'),
    `[ "$1" = check ] && set -- "$@" --allow-private\nexec ${process.execPath} ${programPath} "$@"`,
  );
  const crontab = blocks.find(({ comment }) => comment === 'crontab')?.text ?? '';
  const [record = '', check = '', report = ''] = crontab
    .replaceAll('=work', '=sandbox')
    .split('\n')
    .map((line) => line.split(/ {2,}/).slice(1).join(' '));
  const run = (line: string) => runShell(`PATH=${tools}:$PATH; cd /; ${line}`, homeEnv);
  const make = (hash: string) => run(`linkctl -p sandbox shorten ${origin}/${hash} --hash ${hash} --note kept`);
  try {
    await make('good');
    expect(await run(record)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(check)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    for (const hash of ['gone', 'loop']) await make(hash);
    expect(await run(check)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^HASH .*\nloop +loop .*redirect loop\ngone +broken +404 .*not found\n$/),
      stderr: 'error: 3 links checked: 1 broken, 1 loop\n',
    });
    expect(await run(report)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(homeEnv.HOME ?? '', 'report.html'), 'utf8')).toContain('not found');
  } finally {
    server.close();
  }
});

test('only commands that need the network or an account are not replayed', () => {
  expect(blocks.flatMap(({ comment }) => comment ?? [])).toEqual(['try', 'tests', 'needs an account', 'crontab']);
});

test('the README names only commands that there are, and has at most 220 lines', async ({ linkctl }) => {
  const code = [...blocks.map(({ text }) => text), ...[...readme.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)];
  const named = new Set(code.flatMap((text) => [...text.matchAll(/\blinkctl(?:\.js)? ([a-z]+)/g)].map(([, name]) => name ?? '')));
  for (const name of named) expect([name, (await linkctl([name, '--help'])).code]).toEqual([name, 0]);
  expect(named.size).toBeGreaterThan(8);
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(220);
});

describe.each([
  'README.md',
  'src/README.md',
  'src/bulk/README.md',
  'src/service/README.md',
  'test/README.md',
  'test/bench/README.md',
])('%s', (page) => {
  const top = join(import.meta.dirname, '..');
  const text = readFileSync(join(top, page), 'utf8');
  /** The file that a page names: from its own folder, from a room of the sources, or from the top. */
  const found = (name: string): string | undefined =>
    [dirname(page), 'src', 'test', ''].map((folder) => join(top, folder, name)).find((path) => existsSync(path));

  test('names files and folders that there are', () => {
    const links = [...text.matchAll(/\]\((?!http|#)([^)#]+)/g)].map(([, name = '']) => name);
    const files = [...text.matchAll(/`((?:[\w.-]+\/)*(?:[\w-]+\.(?:ts|mjs|js|test\.ts)|))`/g)].map(([, name = '']) => name);
    expect([...links, ...files.filter((name) => name !== '')].filter((name) => !found(name))).toEqual([]);
  });

  test('names functions and tables that are in their files', () => {
    const named = [...text.matchAll(/`([\w/.-]+\.ts)` \(`(\w+)`\)/g)];
    for (const [, file = '', name = ''] of named) expect(readFileSync(found(file) ?? file, 'utf8')).toContain(name);
  });

  test('counts the functions and files of its lists, and each function is made in the file named', () => {
    for (const [, functions, files, steps = ''] of text.matchAll(/^### .*: (\d+) functions in (\d+) files$(.*?)^(?=#|<)/gms)) {
      const named = [...steps.matchAll(/^\d+\. `(.+?)` \(`(\w+)`\)/gm)];
      expect([named.length, new Set(named.map(([, file]) => file)).size]).toEqual([Number(functions), Number(files)]);
      for (const [, file = '', name = ''] of named) {
        const made = new RegExp(`(?:function\\*? |const |^ +(?:async )?[*#]?)${name}\\b.*(?:=>|[{(])$`, 'm');
        expect(readFileSync(join(top, 'src', file), 'utf8'), file).toMatch(made);
      }
    }
  });
});
