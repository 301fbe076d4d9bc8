import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect } from 'vitest';
import { leafCommands } from '../../bin/build/manual.ts';
import { InterruptedError } from '../../src/base/errors.ts';
import { wholeTree } from '../../src/cli/program.ts';
import { schemaDocument } from '../../src/help/json-schemas.ts';
import type { Schema } from '../../src/help/schema-builders.ts';
import { newestFor } from '../commands/undo-world.ts';
import { apiKey, test as base, type Linkctl, runnerIn, sure, username } from '../support/linkctl.ts';

const schemas = schemaDocument();
const ajv = new Ajv2020({ allErrors: true, validateFormats: false });
const validators = new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(closed(schema))]));

/** A schema that allows nothing it does not name: what we print ourselves is documented whole. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)])) as T & Schema;
  return 'properties' in members && members.type === 'object' ? { ...members, additionalProperties: false } : members;
}

function validator(name: string): ValidateFunction {
  const found = validators.get(name);
  if (!found) throw new Error(`no schema of ${name}`);
  return found;
}

const test = base.extend<{ conforms: (schema: string, argv: readonly string[], run?: Linkctl) => Promise<void> }>({
  conforms: async ({ linkctl }, use) => {
    await use(async (schema, argv, run = linkctl) => {
      const { stdout, stderr } = await run([...argv, '-o', 'json']);
      const validate = validator(schema);
      expect(validate(JSON.parse(stdout)), `${argv.join(' ')}: ${ajv.errorsText(validate.errors)}\n${stdout}\n${stderr}`).toBe(
        true,
      );
    });
  },
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition, startsAt: Date.UTC(2026, 10, 23, 2) });

  test('B19: links print what their schemas say', async ({ conforms, linkctl, folder, clock }) => {
    const [file, edits] = [join(folder, 'links.csv'), join(folder, 'edits.csv')];
    writeFileSync(file, 'long_url,custom_hash\nhttps://c.example/,c\nhttps://d.example/,a\n');
    await conforms('shorten', ['shorten', 'https://a.example/', '--hash', 'a', '--tag', 'old']);
    await conforms('shorten', ['shorten', 'https://b.example/', 'https://b2.example/']);
    await conforms('shorten', ['shorten', 'https://e.example/', '--hash', 'a']);
    await conforms('shorten', ['shorten', '-f', file, '--tag', 'x', '--expires', '2031-01-31']);
    writeFileSync(edits, 'hash,note,tags\nc,n,+x\ngone,n,\n');
    const inTwo = ['edit', '-f', edits, '--batch-size', '1', '--concurrency', '1'];
    await conforms('edit', [...inTwo, '--budget', edition === 'a' ? '4' : '3']);
    await conforms('edit', inTwo);
    await conforms('edit', [...inTwo, '--results', join(folder, 'edited.csv')]);
    await conforms('list', ['list', '--limit', '2']);
    await conforms('list', ['list', 'a', 'gone']);
    await conforms('list', ['list', '--search', 'nothing at all']);
    await conforms('stats', ['stats']);
    await conforms('stats', ['stats', 'a', 'gone']);
    await conforms('stats --record', ['stats', '--record']);
    const later = (argv: readonly string[]) => linkctl(argv, { now: () => clock.now() + 3_600_000 });
    await later(['stats', '--record']);
    for (const by of ['link', 'tag', 'host', 'day'])
      await conforms('stats --since', ['stats', '--since', '3000s', '--by', by], later);
    await conforms('report', ['report', '--since', '3000s', '--html', join(folder, 'report.html')], later);
    await conforms('edit', ['edit', 'a', '--note', 'n']);
    await conforms('edit', ['edit', 'a', 'gone', '--note', 'm']);
    await conforms('edit', ['edit', '--by-tags', 'old', '--note', 'm', '--yes', '--max-affected', '5']);
    await conforms('edit', ['edit', '--by-tags', 'none', '--note', 'm', '--yes', '--max-affected', '5']);
    await conforms('rewrite', ['rewrite', 'https://a.example', 'https://z.example', ...sure]);
    await conforms('rewrite', ['rewrite', 'https://none.example', 'https://z.example', ...sure]);
    await conforms('copy', ['copy', '--to', 'sandbox', '--yes', 'a', 'gone']);
    await conforms('copy', ['copy', '--to', 'sandbox', '--yes', 'a']);
    const links = join(folder, 'links-to-apply.csv');
    writeFileSync(links, 'hash,long_url,note\na,,changed\nb,,\nmade,https://made.example/,\n');
    await conforms('diff', ['diff', '-f', links]);
    await conforms('diff', ['diff', '-f', links, 'a', 'gone']);
    const base = join(folder, 'base.csv');
    writeFileSync(base, 'hash,long_url,note\na,https://a.example/,other\n');
    await conforms('diff', ['diff', '-f', links, '--base', base]);
    await conforms('apply', ['apply', '-f', links, '--yes']);
    await conforms('apply', ['apply', '-f', links, '--yes']);
    await conforms('stats --reset', ['stats', 'a', 'gone', '--reset', '--yes']);
    await conforms('stats --reset', ['stats', '--by-tags', 'old', '--reset', '--yes', '--max-affected', '5']);
    await conforms('delete', ['delete', 'c', 'gone', '--yes']);
    await conforms('undo', ['undo', await newestFor('undo', linkctl), '--yes']);
    await conforms('redo', ['redo', await newestFor('redo', linkctl), '--yes']);
    await conforms('delete', ['delete', '--by-tags', 'old', '--yes', '--max-affected', '5']);
    for (const change of [
      ['shorten', 'https://a.example/'],
      ['edit', 'a', '--note', 'x'],
      ['rewrite', '--scheme', 'https', '--all'],
      ['delete', 'a'],
      ['stats', 'a', '--reset'],
      ['tags', 'add', 'x'],
      ['api', 'DELETE', '/tags/x'],
    ]) {
      await conforms('--dry-run', [...change, '--dry-run']);
    }
    const { stdout: listed } = await linkctl(['runs', 'list', '-o', 'json']);
    const { run } = JSON.parse(listed).runs.find(({ operation }: { operation: string }) => operation === 'edit');
    await conforms('runs list', ['runs', 'list']);
    await conforms('runs show', ['runs', 'show', run]);
    await conforms('runs verify', ['runs', 'verify', run]);
    await conforms('runs forget', ['runs', 'forget', run, '--yes']);
  });

  test('B19: links whose URLs the server leaves empty print what their schemas say', async ({
    conforms,
    linkctl,
    wire,
    folder,
  }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,note\na,n\n');
    await linkctl(['shorten', 'https://a.example/', '--hash', 'a']);
    const none = { long_url: null, short_url: null, short_url_with_protocol: null };
    await wire.script([{ times: 'all', alter: { each: none } }]);
    await conforms('list', ['list']);
    await conforms('list', ['list', 'a']);
    await conforms('stats', ['stats']);
    await conforms('edit', ['edit', 'a', '--note', 'm']);
    await conforms('edit', ['edit', '-f', file]);
    await conforms('edit', ['edit', '-f', file]);
    await conforms('delete', ['delete', 'a', '--yes']);
  });

  test('B19: a check prints what its schema says', async ({ conforms, linkctl, service }) => {
    await linkctl(['shorten', `${service.origin}/nothing`, '--hash', 'a']);
    await linkctl(['shorten', 'http://10.0.0.1/', '--hash', 'b']);
    await conforms('check', ['check', '--allow-private', 'a', 'none']);
    await conforms('check', ['check', '--only', 'moved']);
    await conforms('check', ['check']);
    await conforms('check', ['check', '-n']);
    await conforms('check', ['check', '--search', 'none']);
    await conforms('runs show', ['runs', 'show', 'last']);
  });

  test('B19: tags, account, domains and log print what their schemas say', async ({ conforms, linkctl, wire }) => {
    await conforms('tags add', ['tags', 'add', 'one', 'two']);
    await conforms('tags rename', ['tags', 'rename', 'one', 'three']);
    const run = await newestFor('undo', linkctl);
    await conforms('undo', ['undo', run, '--yes']);
    await conforms('undo', ['undo', run, '--yes']);
    await conforms('redo', ['redo', run, '--yes']);
    await conforms('redo', ['redo', run, '--yes']);
    await conforms('tags list', ['tags']);
    await conforms('tags list', ['tags', '--count']);
    await linkctl(['shorten', 'https://a.example/', '--tag', 'three']);
    await wire.script([{ only: { method: 'PATCH' }, alter: { each: { tags: ['three'] } } }]);
    await conforms('tags merge', ['tags', 'merge', 'three', '--into', 'four', ...sure]);
    await conforms('tags merge', ['tags', 'merge', 'three', '--into', 'four', ...sure]);
    await conforms('tags delete', ['tags', 'delete', 'two', 'four', 'gone', ...sure]);
    await conforms('account', ['account']);
    if (edition === 'a') {
      await conforms('domains', ['domains']);
      await conforms('log', ['log', '--limit', '3']);
    }
  });

  test('B19: profiles and settings print what their schemas say', async ({ conforms, homeEnv, wire, folder }) => {
    const home = runnerIn(homeEnv);
    const key = join(folder, 'key');
    writeFileSync(key, apiKey, { mode: 0o600 });
    const login = ['auth', 'login', '-p', 'work', '--base-url', wire.baseUrl, '--username', username, '--api-key-file', key];
    await conforms('auth login', login, home);
    await conforms('auth status', ['auth', 'status'], home);
    await conforms('auth status', ['auth', 'status', '--offline', '-p', 'sandbox'], home);
    await conforms('auth list', ['auth', 'list'], home);
    await conforms('auth switch', ['auth', 'switch', 'work'], home);
    await conforms('config list', ['config', 'list'], home);
    await conforms('config set', ['config', 'set', 'dedupe', 'account'], home);
    await conforms('config get', ['config', 'get', 'dedupe'], home);
    await conforms('config unset', ['config', 'unset', 'dedupe'], home);
    await conforms('config path', ['config', 'path'], home);
    await conforms('version', ['version'], home);
    await conforms('auth logout', ['auth', 'logout', 'work'], home);
  });

  test('B49: failures print what their schema says', async ({ linkctl, wire }) => {
    const validate = validator('error');
    await wire.script([{ only: { path: '/account' }, apply: false, answer: { status: 500, body: '<h1>no</h1>' }, times: 'all' }]);
    for (const argv of [
      ['list', 'gone'],
      ['list', '--limit', '0'],
      ['account', '--retries', '0'],
      ['-p', 'nobody', 'list'],
      ['list', '--fields', 'x'],
    ]) {
      const { stderr } = await linkctl([...argv, '-o', 'json']);
      expect(validate(JSON.parse(stderr)), `${argv}: ${ajv.errorsText(validate.errors)}\n${stderr}`).toBe(true);
    }
  });
});

test.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)('B49: the failure of %s is what its schema says', (signal) => {
  const { exitCode: code, kind, message } = new InterruptedError(signal);
  expect(validator('error')({ error: { code, kind, message } })).toBe(true);
});

test('B19: serve prints what its schema says', async ({ homeEnv }) => {
  const { stdout } = await runnerIn(homeEnv)(['serve', '--port', '0', '--max-time', '0.2', '-o', 'json']);
  expect(validator('serve')(JSON.parse(stdout)), stdout).toBe(true);
});

test('B33: every command that prints JSON has a schema, and every schema a command', async () => {
  const text = ['api', 'completion'];
  const leaves = leafCommands(await wholeTree());
  const names = leaves.map(({ line }) => line.replace('linkctl ', ''));
  const forms = ['stats --record', 'stats --since', 'stats --reset', '--dry-run', 'error'];
  const wanted = [...names.filter((name) => !text.includes(name)), ...forms];
  expect(Object.keys(schemas).sort()).toEqual(wanted.sort());
});

test('linkctl help formats --json prints the schemas, each complete', async ({ linkctl }) => {
  for (const argv of [
    ['help', 'formats', '--json'],
    ['--json', 'help', 'formats'],
    ['help', 'formats', '-o', 'json'],
  ]) {
    expect(JSON.parse((await linkctl(argv)).stdout)).toEqual(JSON.parse(JSON.stringify(schemas)));
  }
  for (const schema of Object.values(schemas)) {
    expect(schema).toMatchObject({ $schema: expect.stringContaining('2020-12'), title: expect.any(String) });
    expect(JSON.stringify(schema)).not.toContain('$ref');
  }
});

test('a schema refuses what lacks a member or has another type', () => {
  const validate = ajv.compile(schemas.list as Schema);
  const page = { results_count: 0, total_count: 0, offset: 0 };
  expect(
    [{ urls: [], page }, { urls: [], page, more: 1 }, { urls: [] }, { urls: [{ hash: 1 }], page }].map((it) => validate(it)),
  ).toEqual([true, true, false, false]);
});
