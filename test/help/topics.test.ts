import { expect } from 'vitest';
import { fieldNames } from '../../src/contract/fields.ts';
import { exitCodes } from '../../src/errors.ts';
import { leafCommands } from '../../src/help/command-list.ts';
import { descriptionOf } from '../../src/help/layout.ts';
import { isTopicName, topicNames } from '../../src/help/topic-names.ts';
import { topicText } from '../../src/help/topics.ts';
import { wholeProgram } from '../../src/program.ts';
import { test } from '../support/linkctl.ts';

test.for([...topicNames])('B98: linkctl help %s prints the topic, at most 80 columns wide', async (name, { linkctl }) => {
  const ran = await linkctl(['help', name]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain(topicText(name));
  expect(ran.stdout.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
});

test('B98: tags is a command too, and its help comes before the topic', async ({ linkctl }) => {
  const root = await wholeProgram(() => async () => undefined);
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

test('F64: the topic csv says how much room a run needs, and what moves the folder', () => {
  expect(topicText('csv').replaceAll('\n', ' ')).toMatch(/twice the room of the file in the state folder.*XDG_STATE_HOME/);
});

test('B13: the topic environment has every variable that a flag names', async () => {
  const root = await wholeProgram(() => async () => undefined);
  const named = root.options.flatMap(({ description }) => /\(env: (\w+)\)/.exec(description)?.[1] ?? []);
  expect(named.length).toBeGreaterThan(5);
  for (const name of named) expect(topicText('environment')).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test.for([
  ['enviroment', 'did you mean environment?'],
  ['exit-code', 'did you mean exit-codes?'],
  ['nosuch', 'linkctl --help'],
])('B1: linkctl help %s is exit 2 with what may have been meant', async ([word = '', remedy], { linkctl }) => {
  const ran = await linkctl(['help', word]);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(remedy as string) });
});

test('B13: the help of every command has examples before its flags and at most 80 columns', async ({ linkctl }) => {
  const leaves = leafCommands(await wholeProgram(() => async () => undefined));
  expect(leaves.length).toBeGreaterThan(4);
  for (const command of leaves) {
    const path = command.parent?.parent ? [command.parent.name(), command.name()] : [command.name()];
    const { stdout } = await linkctl([...path, '--help']);
    const { examples } = descriptionOf(command);
    const [before, flags] = stdout.split('\nFlags:\n');
    expect(before, path.join(' ')).toContain('Examples:\n  ');
    expect(flags, path.join(' ')).toContain('--help');
    // An example is one line, so that it can be pasted.
    const wide = stdout.split('\n').filter((line) => line.length > 80 && !examples.includes(line.trim()));
    expect(wide, path.join(' ')).toEqual([]);
  }
});

test('a word is a topic by its whole name', () => {
  expect(['csv', 'CSV', 'toString', ''].map(isTopicName)).toEqual([true, false, false, false]);
});
