import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test as base, runnerIn, sent, sure } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

interface World {
  /** Another person, past the wire. */
  readonly colleague: ReturnType<typeof runnerIn>;
}

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };

const test = base.extend<{ world: World }>({
  world: async ({ service, env }, use) => {
    await store(service, numbered(5, { note: 'n' }));
    await use({ colleague: runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl }) });
  },
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  const links = async (service: Parameters<typeof stored>[0]) =>
    new Map((await stored(service)).map(({ hash, long_url, note }) => [hash, { long_url, note }]));

  const changes = async (wire: Parameters<typeof sent>[0]) => (await sent(wire)).filter(({ call }) => !call.startsWith('GET'));

  const planned = async (linkctl: ReturnType<typeof runnerIn>, folder: string, format: string): Promise<string> => {
    const path = join(folder, `planned.${format}`);
    const to = ['https://example.com', 'https://mine.example', '--all', '--fields', 'short_url,long_url,old_long_url'];
    const plan = await linkctl(['rewrite', ...to, '-n', '-o', format]);
    expect(plan.code, plan.stderr).toBe(0);
    writeFileSync(path, plan.stdout);
    return path;
  };

  test.for([
    ['csv', []],
    ['jsonl', []],
    ['csv', ['--no-undo']],
  ] as const)(
    'W2, W5: edit -f with the plan of a rewrite (%s %s) leaves a link alone that leads elsewhere since',
    async ([format, flags], { linkctl, service, wire, folder, world: { colleague } }) => {
      const path = await planned(linkctl, folder, format);
      await colleague(['edit', 'h0', '--url', 'https://newer.example/0']);
      await colleague(['edit', 'h1', '--url', 'https://mine.example/1']);
      const ran = await linkctl(['edit', '-f', path, ...flags, ...sure]);
      expect(ran.code, ran.stderr).toBe(3);
      expect(ran.stderr).toMatch(/h0: changed since it was listed: long_url/);
      expect(ran.stderr).toMatch(/5 rows: 3 changed, 1 unchanged, 1 failed/);
      expect(JSON.stringify(await sent(wire))).not.toContain('old_long_url');
      const now = [...(await links(service))].map(([hash, { long_url }]) => [hash, long_url]).sort();
      expect(now).toEqual([0, 1, 2, 3, 4].map((nth) => [`h${nth}`, `https://${nth === 0 ? 'newer' : 'mine'}.example/${nth}`]));
    },
  );

  test('W3, W5: the plan of edit -f names links that no longer lead to their old_long_url', async ({
    linkctl,
    wire,
    folder,
    world: { colleague },
  }) => {
    const path = await planned(linkctl, folder, 'csv');
    await colleague(['edit', 'h2', '--url', 'https://newer.example/2']);
    const plan = await linkctl(['edit', '-f', path, '-n'], watched);
    expect(plan).toMatchObject({ code: 0, stderr: expect.stringMatching(/4 (of 5 )?links would be changed, 1 refused/) });
    expect(plan.stderr).toMatch(/changed since: long_url \(1\): \S+\/h2\n/);
    const ran = await linkctl(['edit', '-f', path], { ...watched, stdin: 'y\n' });
    expect(ran, ran.stderr).toMatchObject({ code: 3 });
    expect(
      (await sent(wire))
        .filter(({ call }) => call.startsWith('PATCH'))
        .flatMap(({ body }) => JSON.stringify(body))
        .join(),
    ).not.toContain('"h2"');
  });

  test.for([
    ['a flag sets the destination', 'hash,old_long_url\nh0,https://was.example/\n', ['--url', 'https://mine.example/']],
    ['the row sets another field', 'hash,long_url,note,old_long_url\nh0,,mine,https://was.example/\n', []],
    ['nothing is kept for undo', 'hash,note,old_long_url\nh0,mine,https://was.example/\n', ['--no-undo']],
  ] as const)(
    'W3, W5: a link that leads elsewhere is left alone, by the plan and by the run: exit 3, and nothing is sent: %s',
    async ([, text, flags], { linkctl, service, wire, folder, world: _ }) => {
      const path = join(folder, 'edits.csv');
      writeFileSync(path, text);
      const before = await links(service);
      const plan = await linkctl(['edit', '-f', path, ...flags, '-n'], watched);
      expect(plan.stderr).toMatch(/0 links would be changed, 1 refused/);
      for (const on of [{}, watched]) {
        const ran = await linkctl(['edit', '-f', path, ...flags], on);
        expect(ran, ran.stderr).toMatchObject({ code: 3 });
        expect(ran.stderr).toMatch(/changed since it was\slisted: long_url/);
      }
      expect(await changes(wire)).toEqual([]);
      expect(await links(service)).toEqual(before);
    },
  );

  test.for(['csv', 'jsonl'])(
    'W5: the file of failed rows (%s) protects their links as the input did',
    async (format, { linkctl, service, folder, world: _ }) => {
      const [path, failed] = [join(folder, 'edits.csv'), join(folder, `failed.${format}`)];
      const was = 'https://was.example/';
      writeFileSync(path, `hash,long_url,old_long_url\nh0,https://mine.example/0,${was}\nh1,https://mine.example/1,\n`);
      expect(await linkctl(['edit', '-f', path, '--failed', failed, ...sure])).toMatchObject({ code: 3 });
      expect(readFileSync(failed, 'utf8')).toContain(was);
      expect(await linkctl(['edit', '-f', failed, ...sure])).toMatchObject({ code: 3 });
      expect((await links(service)).get('h0')?.long_url).toBe('https://example.com/0');
    },
  );

  test('W5: the file of failed rows has no column for old destinations unless the input has one', async ({
    linkctl,
    folder,
    world: _,
  }) => {
    const [path, failed] = [join(folder, 'edits.csv'), join(folder, 'failed.csv')];
    writeFileSync(path, 'hash,note,old_long_url\nzz,mine,\n');
    expect((await linkctl(['edit', '-f', path, '--failed', failed, ...sure])).code).not.toBe(0);
    expect(readFileSync(failed, 'utf8')).not.toContain('old_long_url');
  });

  test('W5: old destinations and --base contradict each other: exit 2, and nothing is sent', async ({
    linkctl,
    wire,
    folder,
    world: _,
  }) => {
    const [path, listed] = [join(folder, 'edits.csv'), join(folder, 'listed.csv')];
    writeFileSync(listed, 'hash,long_url,note\nh0,https://example.com/0,n\n');
    writeFileSync(path, 'hash,note,old_long_url\nh0,mine,https://was.example/\n');
    const ran = await linkctl(['edit', '-f', path, '--base', listed, ...sure]);
    expect(ran).toMatchObject({ code: 2, stderr: `error: ${path} has old_long_url: use it without --base, or remove it\n` });
    expect(await changes(wire)).toEqual([]);
    writeFileSync(path, 'hash,note,old_long_url\nh0,mine,\n');
    expect(await linkctl(['edit', '-f', path, '--base', listed, ...sure])).toMatchObject({ code: 0 });
  });

  test.for([
    ['csv', 'hash,long_url,old_long_url\nh0,https://mine.example/0,\n'],
    ['jsonl', '{"hash":"h0","long_url":"https://mine.example/0","old_long_url":""}\n'],
    ['jsonl', '{"hash":"h0","long_url":"https://mine.example/0","old_long_url":null}\n'],
  ] as const)(
    'W3, W5: an empty old destination is none, for the plan and for the run: %j',
    async ([format, text], { linkctl, service, folder, world: _ }) => {
      const path = join(folder, `edits.${format}`);
      writeFileSync(path, text);
      expect((await linkctl(['edit', '-f', path, '-n'], watched)).stderr).toMatch(/1 link would be changed/);
      const ran = await linkctl(['edit', '-f', path, ...sure]);
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      expect((await links(service)).get('h0')?.long_url).toBe('https://mine.example/0');
    },
  );
});
