import { expect } from 'vitest';
import { exitCodes } from '../../src/base/errors.ts';
import { safeTsv } from '../../src/base/safe-text.ts';
import { wholeProgram, wholeTree } from '../../src/cli/program.ts';
import { fieldNames } from '../../src/contract/fields.ts';
import type { CommandTree } from '../../src/help/command-tree.ts';
import { schemaDocument } from '../../src/help/json-schemas.ts';
import { isTopicName, topicNames } from '../../src/help/stored-tree.ts';
import { topicText } from '../../src/help/topics.ts';
import { operators } from '../../src/link/rules/conditions.ts';
import { filterFieldNames } from '../../src/link/rules/filter.ts';
import { test } from '../support/linkctl.ts';

test.for([...topicNames])(
  'B98, B96: linkctl help %s prints the topic, at most 80 columns wide and in ASCII',
  async (name, { linkctl }) => {
    const ran = await linkctl(['help', name]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(topicText(name));
    expect(ran.stdout.split('\n').filter((line) => !/^[ -~]{0,80}$/.test(line))).toEqual([]);
  },
);

test('B98: tags is a command too, and its help comes before the topic', async ({ linkctl }) => {
  const root = await wholeProgram();
  const isCommand = root.commands.some((command) => command.name() === 'tags');
  const { stdout } = await linkctl(['help', 'tags']);
  expect(stdout.startsWith('Tags and tag expressions.')).toBe(!isCommand);
});

test('B33: the topic exit-codes has every code of the program', () => {
  for (const [kind, code] of Object.entries(exitCodes)) {
    expect(topicText('exit-codes')).toMatch(new RegExp(`^  ${code} +${kind.replace('_', ' ')} {2,}\\S`, 'm'));
  }
});

test('B91: the topic csv has every column of both uses', () => {
  for (const name of [...fieldNames('shorten', 'a'), ...fieldNames('edit', 'a')])
    expect(topicText('csv')).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test('F2: the topic filters has every field and every operator', () => {
  const terms = topicText('filters')
    .match(/^ {2}[a-z_]+(?:, [a-z_]+)*(?= {2})/gm)
    ?.join(', ');
  expect(
    terms
      ?.split(',')
      .map((term) => term.trim())
      .sort(),
  ).toEqual(filterFieldNames('a').sort());
  for (const operator of operators) expect(topicText('filters')).toContain(` ${operator}`);
});

test('B19: the topic formats names the schemas that are of no command', async () => {
  const verbs = (await wholeTree()).commands.map(({ name }) => name);
  const others = Object.keys(schemaDocument()).filter((name) => !verbs.includes(name.replace(/ .*/, '')));
  expect(others).toEqual(['--dry-run', 'error']);
  const text = topicText('formats').replaceAll('\n', ' ');
  expect(text).toContain('The schema --dry-run describes dry runs, and error describes errors.');
});

test('F64: the topic csv says how much room a run needs, and what moves the folder', () => {
  expect(topicText('csv').replaceAll('\n', ' ')).toMatch(/twice the size of the file in the state folder.*XDG_STATE_HOME/);
});

test('B13: the topic environment has every variable that a flag names', async () => {
  const root = await wholeProgram();
  const named = root.options.flatMap(({ description }) => /\(env: (\w+)\)/.exec(description)?.[1] ?? []);
  expect(named.length).toBeGreaterThan(5);
  for (const name of named) expect(topicText('environment')).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test.for([
  ['enviroment', 'did you mean environment?'],
  ['exit-code', 'did you mean exit-codes?'],
  ['json', 'did you mean formats?'],
  ['nosuch', 'linkctl --help'],
  ['auth lgoin', "unknown command 'lgoin'\ndid you mean login?\nhint: linkctl auth --help\n"],
  ['tags nosuch', "unknown command 'nosuch'\nhint: linkctl tags --help\n"],
])('B1: linkctl help %s is exit 2 with what may have been meant', async ([words = '', remedy], { linkctl }) => {
  const ran = await linkctl(['help', ...words.split(' ')]);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(remedy as string) });
});

test('B13, D54: the help of every command has examples before its flags and at most 80 columns', async ({ linkctl }) => {
  const commands = withChildren(await wholeTree());
  expect(commands.length).toBeGreaterThan(20);
  for (const path of commands) {
    const { stdout } = await linkctl([...path, '--help']);
    const [before, flags] = stdout.split('\nFlags:');
    expect(before, path.join(' ')).toMatch(/\nExamples?:\s+/);
    expect(flags, path.join(' ')).toContain('--help');
    const wide = stdout.split('\n').filter((line) => [...line].length > 80);
    expect(wide, path.join(' ')).toEqual([]);
  }
});

test('CLI 3.3: no page has more than 20 flags before the global ones, and it names the pages that explain the others', async ({
  linkctl,
}) => {
  const root = await wholeTree();
  const commands = withChildren(root).slice(1);
  const elsewhere = { csv: (await linkctl(['help', 'csv'])).stdout, runs: (await linkctl(['help', 'runs'])).stdout };
  for (const path of commands) {
    const { stdout } = await linkctl([...path, '--help']);
    const [, flags = ''] = /\nFlags:\n(.*?)\n\n/s.exec(stdout) ?? [];
    const shown = flags.split('\n').filter((line) => /^ {2}(-\w, | {4})--/.test(line));
    expect(shown.length, path.join(' ')).toBeLessThanOrEqual(20);
    const command = path.reduce((group, word) => group.commands.find(({ name }) => name === word) ?? group, root);
    for (const { typed, group } of command.flags) {
      const page = group === 'csv' || group === 'runs' ? group : undefined;
      expect(page ? elsewhere[page] : stdout, `${path.join(' ')} ${typed}`).toMatch(
        new RegExp(`^ +(-\\w, )?${typed.replace(/[$.|]/g, '\\$&').replace(/^-\w, /, '')}`, 'm'),
      );
      if (page) expect(stdout).toMatch(new RegExp(`^More flags: .*linkctl help ${page}`, 'm'));
    }
  }
});

test.for([
  ['--undo', 'keep the old values for undo despite'],
  ['--no-undo', 'do not keep them'],
])('U1: linkctl help runs says what %s does, and for which commands', async ([flag, deed], { linkctl }) => {
  const { stdout } = await linkctl(['help', 'runs']);
  const [, commands = ''] = new RegExp(`^ {2}${flag} +([\\w, ]+): ${deed}`, 'm').exec(stdout) ?? [];
  const hasFlag = (command: CommandTree): boolean =>
    command.flags.some(({ typed }) => typed === flag) || command.commands.some(hasFlag);
  const { commands: all } = await wholeTree();
  const having = all.filter(hasFlag).map(({ name }) => name);
  expect(commands.split(', ').sort()).toEqual(having.sort());
});

/** The words of every command that has a help, from the root on. */
function withChildren({ line, commands }: CommandTree): string[][] {
  return [line.split(' ').slice(1), ...commands.flatMap(withChildren)];
}

test('D56: linkctl alone names every command before the flags, on a screen of 24 lines with its prompt', async ({ linkctl }) => {
  const root = await wholeProgram();
  const { stdout } = await linkctl([]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(24);
  const flags = lines.findIndex((line) => line.startsWith('Flags:'));
  for (const command of root.commands) {
    const isNamed = (line: string) =>
      command.helpGroup() === 'More:'
        ? line.startsWith('More:') && line.includes(command.name())
        : line.includes(`  ${command.name()}`) && line.endsWith(`  ${command.summary()}`);
    const at = lines.findIndex(isNamed);
    expect([command.name(), at > 0 && at < flags]).toEqual([command.name(), true]);
  }
  expect(lines.slice(flags).join()).toContain('linkctl help flags');
});

test('D56: linkctl help flags has every global flag, with its variable', async ({ linkctl }) => {
  const root = await wholeProgram();
  const { code, stdout } = await linkctl(['help', 'flags']);
  expect(code).toBe(0);
  const text = stdout.replace(/\s+/g, ' ');
  const global = root.options.filter(({ long }) => long !== '--version');
  expect(global.length).toBeGreaterThan(20);
  for (const { flags, description } of global) expect(text).toContain(`${flags} ${description}`);
});

test('a word is a topic by its whole name', () => {
  expect(['csv', 'CSV', 'toString', ''].map(isTopicName)).toEqual([true, false, false, false]);
});

test('B16: the topic formats has an example of each form of escape that tsv has', () => {
  const forms = ['\\', '\t', '\r', '\n', '\x1b', '\u202e', '\u{e0041}'].map(safeTsv);
  for (const form of forms) expect(topicText('formats')).toContain(form);
});

test('B19: the topic formats has the JSON keys of checks and runs, too', () => {
  expect(topicText('formats')).toMatch(/^ {2}check +checks, summary$/m);
  expect(topicText('formats')).toMatch(/^ {2}runs +runs; runs verify: discrepancies$/m);
  expect(topicText('formats')).toMatch(/^ {2}stats --since +clicks, period, summary$/m);
  expect(topicText('formats')).toMatch(/^ {2}stats --record +recorded, history$/m);
});
