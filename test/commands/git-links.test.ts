import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

const listing = ['list', '--all', '--fields', 'writable', '--order-by', 'hash', '-o', 'csv'];

describe.each(['a', 'b'] as const)('P5: links in git, edition %s', (edition) => {
  test.override({ edition });

  test('--fields writable has what can be set, in a stable order; a visit changes nothing of it', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, numbered(3, { note: 'n', tags: ['b', 'a'] }).reverse());
    const first = await linkctl(listing);
    const own = edition === 'a' ? 'short_url' : 'hash';
    const names = first.stdout.split('\n')[0];
    expect(names).toBe(`${own},long_url,note,tags,expiration_date,email_stats${edition === 'a' ? ',max_clicks' : ''}`);
    const order = first.stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => /h\d/.exec(line)?.[0]);
    expect(order).toEqual(['h0', 'h1', 'h2']);
    await fetch(`${new URL(service.baseUrl).origin}/h1`, { redirect: 'manual' });
    expect((await linkctl(listing)).stdout).toBe(first.stdout);
    const file = join(folder, 'links.csv');
    writeFileSync(file, first.stdout);
    expect((await linkctl(['diff', '-f', file])).code).toBe(0);
    expect((await linkctl(['list', 'h0', '--fields', 'writable', '-o', 'json'])).stdout).toContain('"note":"n"');
  });

  test('-o markdown is the plan of diff and apply as a comment, in which no value is a mark; nothing else has it', async ({
    linkctl,
    service,
    folder,
    wire,
  }) => {
    await store(service, numbered(3, { note: 'n' }));
    const file = join(folder, 'links.csv');
    writeFileSync(
      file,
      'short_url,long_url,note,tags\nlocalhost/h0,https://example.com/0,@all | `x` <b>,"spring,""new, promo"""\nlocalhost/new,https://new.example/,,\n',
    );
    const diff = await linkctl(['diff', '-f', file, '-o', 'markdown']);
    expect(diff.code, diff.stderr).toBe(12);
    const link = (hash: string) => `\`${diff.stdout.includes(`localhost/${hash}`) ? 'localhost/' : ''}${hash}\``;
    expect(diff.stdout).toBe(
      [
        '**4 links: 1 only in file, 1 different, 2 only in account**',
        '',
        '| | Link | Field | Before | After |',
        '|---|---|---|---|---|',
        `| ~ | ${link('h0')} | note | \`n\` | \`\` @all \\| \`x\` <b> \`\` |`,
        `| ~ | ${link('h0')} | tags |  | \`spring,"new, promo"\` |`,
        `| + | ${link('new')} |  |  | \`https://new.example/\` |`,
        `| - | ${link('h2')} |  | \`https://example.com/2\` |  |`,
        `| - | ${link('h1')} |  | \`https://example.com/1\` |  |`,
        '',
      ].join('\n'),
    );
    const plan = await linkctl(['apply', '-f', file, '-n', '-o', 'markdown']);
    expect(plan.code, plan.stderr).toBe(0);
    expect(plan.stdout).toContain('**2 links: 1 to be created, 1 to be changed**\n');
    expect(plan.stdout).toContain('not in the file, left unchanged (2): ');
    const narrow = { terminal: { stderr: true }, columns: 40 };
    expect((await linkctl(['apply', '-f', file, '-n', '-o', 'markdown'], narrow)).stdout, 'B58a').toBe(plan.stdout);
    expect((await linkctl(['apply', '-f', file, '-o', 'markdown', '--yes'])).code).toBe(2);
    for (const words of [['list'], ['edit', 'h0', '--note', 'x'], ['account']]) {
      expect(await linkctl([...words, '-o', 'markdown'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('-o markdown applies only to diff and apply'),
      });
    }
    for (const name of ['diff', 'apply']) {
      expect((await linkctl([name, '-f', file, '-o', 'foo'])).stderr).toContain('{table|json|jsonl|csv|tsv|markdown}, got "foo"');
      const { stdout } = await linkctl([name, '--help']);
      expect(stdout.match(/--output/g)).toHaveLength(1);
      expect(stdout.replace(/\s+/g, ' ')).toContain('table, json, jsonl, csv, tsv or markdown');
      expect((await linkctl(['__complete', name, '-o', 'm'])).stdout).toContain('markdown');
    }
    expect((await linkctl(['list', '-o', 'foo'])).stderr).toContain('{table|json|jsonl|csv|tsv}, got "foo"');
    expect((await linkctl(['list', '--help'])).stdout).not.toContain('markdown');
    expect((await linkctl(['__complete', 'list', '-o', 'm'])).stdout).not.toContain('markdown');
    const calls = (await wire.requests()).map(({ method }) => method);
    expect(new Set(calls)).toEqual(new Set(['GET']));
    expect(readFileSync(file, 'utf8')).toContain('@all');
  });
});
