import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { type Behaviour, login } from './behaviour.ts';

/** Rows of csv with hashes of their own. */
function csv(count: number): string {
  return `long_url,custom_hash\n${numbered(count)
    .map(({ long_url, custom_hash }) => `${long_url},${custom_hash}`)
    .join('\n')}\n`;
}

/** G. Network, pages and retries. */
export const networkBehaviours: readonly Behaviour[] = [
  [
    'B75',
    'Every call has a time limit; a server that never answers is exit 8.',
    async ({ run, wire }) => {
      await wire.script([{ end: 'silent', times: 'all' }]);
      expect((await run(['list', '--timeout', '0.3', '--retries', '0'])).code).toBe(8);
      expect((await run(['list', '--timeout', '0'])).code).toBe(2);
    },
  ],
  [
    'B76',
    'What can heal is retried; `--retries 0` switches that off; `-v` reports each retry.',
    async ({ run, wire }) => {
      await wire.script([faults.badGatewayBefore]);
      expect(await run(['list', '-v'])).toMatchObject({ code: 0, stderr: expect.stringContaining('502') });
      await wire.script([faults.badGatewayBefore]);
      expect((await run(['list', '--retries', '0'])).code).toBe(8);
    },
  ],
  [
    'B77',
    '`Retry-After` is waited for, up to `--max-wait`; a longer one is exit 7 at once. A used up quota is never retried.',
    async ({ run, wire, calls }) => {
      await wire.script([faults.tooMany('3600')]);
      expect((await run(['list'])).code).toBe(7);
      await wire.script([faults.refuse(1303)]);
      expect((await run(['list'])).code).toBe(7);
      expect(await calls()).toHaveLength(2);
      await wire.script([faults.tooMany('1')]);
      expect((await run(['list'])).code).toBe(0);
      const [, , first, second] = await wire.requests();
      expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(990);
    },
  ],
  [
    'B78',
    'What cannot heal is not retried.',
    async ({ run, wire, calls }) => {
      await wire.script([faults.refuse(1300), faults.refuse(1216)]);
      expect((await run(['list'])).code).toBe(4);
      expect((await run(['list'])).code).toBe(6);
      expect(await calls()).toHaveLength(2);
    },
  ],
  [
    'B79',
    'A change that may have been made is never sent again blindly.',
    async ({ run, wire, service }) => {
      await store(service, numbered(1));
      await wire.script([{ ...faults.dropAfter, only: { method: 'DELETE' } }]);
      expect((await run(['stats', 'h0', '--reset', '--yes'])).code).toBe(10);
      expect((await wire.requests()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    },
  ],
  ['B80', 'Proxies and extra certificates come from the usual variables.', 'test/client/http/proxies.test.ts'],
  [
    'B81',
    '`--limit` counts rows, not pages; 0 is an error.',
    async ({ run, service, calls }) => {
      await store(service, numbered(9));
      expect((await run(['list', '--limit', '5', '--page-size', '2', '--fields', 'hash'])).stdout).toBe('h8\nh7\nh6\nh5\nh4\n');
      expect((await calls()).length).toBeLessThanOrEqual(4);
      expect((await run(['list', '--limit', '0'])).code).toBe(2);
    },
  ],
  [
    'B82',
    'Rows that move between pages are shown once, and a change takes its hashes before it begins.',
    async ({ run, wire, service }) => {
      await store(service, numbered(6));
      const { stdout: first } = await run(['list', '--json', '--limit', '3']);
      // Somebody makes a link after the first page: what was its last row begins the second one.
      await store(service, [{ custom_hash: 'new', long_url: 'https://example.com/new' }]);
      await wire.script([{ answer: { body: { error: { code: 0, message: '' }, ...JSON.parse(first) } } }]);
      const { stdout } = await run(['list', '--page-size', '3', '--fields', 'hash']);
      expect(stdout).toBe('h5\nh4\nh3\nh2\nh1\nh0\n');
    },
  ],
  [
    'B83',
    '`-v` is one line per request, `--debug` shows them in full; the User-Agent names the program and its version.',
    async ({ run, wire }) => {
      expect((await run(['list', '-v'])).stderr).toMatch(/^GET \/urls\S* 200 \d+ ms$/m);
      expect((await wire.requests())[0]?.headers['user-agent']).toMatch(/^linkctl\/\d+\.\d+\.\d+ \(node\/\d+/);
    },
  ],
  [
    'B84',
    'No call is made twice: the counters of several links are one call.',
    async ({ run, service, calls }) => {
      await store(service, numbered(3));
      expect((await run(['stats', 'h0', 'h1', 'h2'])).code).toBe(0);
      expect(await calls()).toHaveLength(1);
    },
  ],
];

/** H. Runs and progress. */
export const runBehaviours: readonly Behaviour[] = [
  [
    'B85',
    'No call holds more items than the bound, nor an address of more than 6,000 bytes.',
    async ({ run, service, wire }) => {
      const urls = Array.from({ length: 1001 }, (_, index) => ({
        custom_hash: `hash-${index}`,
        long_url: `https://e.com/${index}`,
      }));
      await store(service, urls);
      const stdin = urls.map(({ custom_hash }) => custom_hash).join('\n');
      expect((await run(['list', '--hashes-from', '-', '--fields', 'hash'], { stdin })).stdout.split('\n')).toHaveLength(1002);
      for (const { url } of await wire.requests()) {
        expect(url.length).toBeLessThanOrEqual(6000);
        expect(url.split(/,|%2C/i).length).toBeLessThanOrEqual(1000);
      }
    },
  ],
  [
    'B86',
    'A batch that the server finds too large is halved and sent again.',
    async ({ run, folder, wire, service }) => {
      writeFileSync(
        join(folder, 'links.txt'),
        numbered(8)
          .map(({ long_url }) => long_url)
          .join('\n'),
      );
      await wire.script([{ ...faults.refuse(1221), only: { method: 'POST' } }]);
      expect((await run(['shorten', '-f', join(folder, 'links.txt')])).code).toBe(0);
      expect(await stored(service)).toHaveLength(8);
    },
  ],
  [
    'B87',
    'A run continues after failures, unless `--fail-fast`; credentials and quotas always stop it.',
    async ({ run, folder, service, wire }) => {
      await store(service, [{ custom_hash: 'h0', long_url: 'https://taken.example/' }]);
      const file = join(folder, 'links.csv');
      writeFileSync(file, csv(6));
      expect((await run(['shorten', '-f', file, '--batch-size', '2', '--fail-fast', '--concurrency', '1'])).code).not.toBe(0);
      const stopped = (await stored(service)).length;
      expect(stopped).toBeLessThan(6);
      expect((await run(['shorten', '-f', file, '--batch-size', '2'])).code).toBe(3);
      expect(await stored(service)).toHaveLength(6);
      await wire.script([{ ...faults.refuse(1303), only: { method: 'POST' } }]);
      writeFileSync(file, csv(7));
      expect((await run(['shorten', '-f', file, '--again'])).code).toBe(7);
    },
  ],
  [
    'B88',
    'Results have every row once, in the order of the input, and a run that stopped is resumed by the same command.',
    async ({ run, folder, service }) => {
      const file = join(folder, 'links.csv');
      writeFileSync(file, csv(6));
      const shorten = ['shorten', '-f', file, '--batch-size', '2', '--results', join(folder, 'done.csv')];
      expect((await run([...shorten, '--budget', '7'])).code).toBe(7);
      expect(readFileSync(join(folder, 'done.csv'), 'utf8')).toContain('not_sent');
      expect((await run(shorten)).code).toBe(0);
      const rows = readFileSync(join(folder, 'done.csv'), 'utf8').trimEnd().split('\n').slice(1);
      expect(rows.map((row) => row.split(',').slice(0, 3))).toEqual(
        numbered(6).map(({ custom_hash }, index) => [`${index + 1}`, 'created', custom_hash]),
      );
      expect(await stored(service)).toHaveLength(6);
    },
  ],
  [
    'B89',
    'Progress is one line that erases itself, on a terminal only; `--progress plain` prints a line per batch.',
    async ({ run, folder }) => {
      const file = join(folder, 'links.csv');
      writeFileSync(file, csv(6));
      const { stderr } = await run(['shorten', '-f', file, '--batch-size', '2', '--progress', 'plain']);
      expect(stderr.match(/^\d\/3 batches/gm)?.length).toBeGreaterThanOrEqual(2);
      expect((await run(['shorten', '-f', file, '--again'])).stderr).not.toMatch(/batches ·|\r/);
    },
  ],
  [
    'B90',
    'A run ends with a summary on stderr; JSON has it as `summary`.',
    async ({ run, folder }) => {
      const file = join(folder, 'links.csv');
      writeFileSync(file, csv(3));
      const { stdout, stderr } = await run(['shorten', '-f', file, '--json']);
      expect(stderr).toMatch(/^3 rows: 3 created \(\d+ requests, \d+\.\d s\)/m);
      expect(JSON.parse(stdout).summary).toMatchObject({ rows: 3, created: 3 });
    },
  ],
  [
    'B91',
    'Input is UTF-8 with or without a byte order mark, LF or CRLF, with named columns in any order; a misspelt column is exit 2.',
    async ({ run, folder, service }) => {
      const file = join(folder, 'links.csv');
      writeFileSync(file, '\ufeffNote,LONG_URL,hash\r\nhi,https://example.com/,abc\r\n');
      expect((await run(['shorten', '-f', file])).code).toBe(0);
      expect(await stored(service)).toMatchObject([{ hash: 'abc', note: 'hi', long_url: 'https://example.com/' }]);
      writeFileSync(file, 'long_url,tagss\nhttps://example.com/,red\n');
      expect(await run(['shorten', '-f', file])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('did you mean tags?'),
      });
    },
  ],
];

/** I. Completion. */
export const completionBehaviours: readonly Behaviour[] = [
  [
    'B92',
    '`completion` prints a script and changes nothing.',
    async ({ run, shell }) => {
      for (const name of ['bash', 'zsh', 'fish', 'powershell'])
        expect(await run(['completion', name])).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('__complete'),
          stderr: '',
        });
      expect((await shell('find "$HOME" -mindepth 1')).stdout).toBe('');
    },
  ],
  [
    'B93',
    '`__complete` prints candidates with their meaning, then a line of directives; it always exits 0.',
    async ({ run }) => {
      const { code, stdout } = await run(['__complete', 'sh']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^shorten\t.+\n:\d+\n$/) });
      expect((await run(['__complete', 'nope', ''])).code).toBe(0);
    },
  ],
  ['B94', 'Candidates can never run as commands, in bash, zsh and fish.', 'test/completion/shells.test.ts'],
  [
    'B95',
    'Candidates come from the commands, the configuration and what earlier calls left; only for hashes TAB asks the server, for at most 800 ms.',
    async ({ run, service, wire, env }) => {
      await store(service, [{ long_url: 'https://example.com/', tags: ['spring'] }]);
      await login(run, wire.baseUrl, env);
      await run(['tags', '-p', 'work']);
      const before = (await wire.requests()).length;
      expect((await run(['__complete', 'list', '-p', 'w'])).stdout).toMatch(/^work/);
      expect((await run(['__complete', 'shorten', '-p', 'work', '--tag', 's'])).stdout).toMatch(/^spring/);
      expect((await run(['__complete', 'list', '-o', ''])).stdout).toMatch(/^jsonl/m);
      expect((await wire.requests()).length).toBe(before);
    },
  ],
];

/** J and K. Accessibility, locales, documentation. */
export const placeBehaviours: readonly Behaviour[] = [
  [
    'B96',
    'Meaning never rests on colour: statuses are words or symbols, ASCII where the locale has no others.',
    'test/terminal/look.test.ts',
  ],
  [
    'B97',
    'Data does not depend on locale or time zone; labels are compared without case.',
    async ({ run, service }) => {
      await store(service, [
        { custom_hash: 'a', long_url: 'https://example.com/', tags: ['TITLE'], expiration_date: '2099-01-31' },
      ]);
      const env = { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Apia' };
      expect((await run(['list', '-o', 'csv'], { env })).stdout).toBe((await run(['list', '-o', 'csv'])).stdout);
      expect((await run(['list', '--by-tags', 'title', '--fields', 'hash'], { env })).stdout).toBe('a\n');
    },
  ],
  [
    'B98',
    'Help has topics; starting writes nothing and loads only what the command needs.',
    async ({ run, shell }) => {
      for (const topic of ['flags', 'csv']) expect(await run(['help', topic])).toMatchObject({ code: 0, stderr: '' });
      expect((await shell('find "$HOME" -mindepth 1')).stdout).toBe('');
    },
  ],
];
