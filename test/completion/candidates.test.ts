import { Command } from 'commander';
import { expect, test } from 'vitest';
import { complete } from '../../src/completion/complete.ts';
import type { Sources } from '../../src/completion/sources.ts';
import { addGlobalFlags } from '../../src/flags/globals.ts';
import { choice, repeated } from '../../src/flags/values.ts';
import { commandTree } from '../../src/help/command-tree.ts';
import { describe } from '../../src/help/description.ts';

const hostile = ['$(touch pwned)', 'with\ttab', 'esc\x1b[2J', 'line\nfeed', 'c1\x9b2J', 'turn\u202eed', 'sep\u2028'];

const sources: Sources = {
  profiles: () => ['work', 'hobby', 'sandbox'],
  labels: (kind, profile = 'work') => (kind === 'tags' ? [`${profile}-tag`, 'a:b=c', '-y', ...hostile] : [`${profile}.ex`]),
  runs: (beginning) =>
    ['20310202-1', '20310201-2'].filter((name) => name.startsWith(beginning)).map((word) => ({ word, meaning: 'edit x' })),
  hashes: async (beginning, { given }) =>
    ['spring', 'spark', 'evil\x1b[2J']
      .filter((word) => word.startsWith(beginning))
      .map((word) => ({ word: `${word}${given.get('profile') ?? ''}` })),
};

function tree(): Command {
  const root = new Command('linkctl').helpOption('-h, --help', 'show help').helpCommand(false).version('1.2.3');
  addGlobalFlags(root);
  const list = root.command('list').alias('ls').summary('List').argument('[hash...]', 'hashes');
  list
    .option('-L, --limit <n>', 'rows')
    .option('--order-by <order>', 'order', choice(['recent', 'clicks']))
    .option('--by-tags <expression>', 'tags')
    .option('--all', 'all');
  describe(list, { examples: [], fields: [{ name: 'hash' }, { name: 'long_url' }, { name: 'note' }] });
  const shorten = root.command('shorten').summary('Shorten').argument('[long-url...]', 'URLs');
  shorten
    .option('-t, --tag <label>', 'label', repeated)
    .option('-f, --file <file|->', 'rows')
    .option('--qr-file <dir>', 'pictures');
  shorten.option('--email-stats', 'mail').option('--no-email-stats', 'no mail');
  for (const name of ['edit', 'stats', 'check']) root.command(name).argument('[hash...]', 'hashes');
  root.command('delete').alias('rm').argument('[hash...]', 'hashes');
  const tags = root.command('tags').summary('Tags').helpCommand(false);
  tags.command('list', { isDefault: true }).summary('List tags');
  tags.command('rename').summary('Rename').argument('<old>', 'label').argument('<new>', 'label');
  tags.command('delete').alias('rm').summary('Delete').argument('<label...>', 'labels');
  root.command('undo').argument('[run]', 'run');
  root.command('completion').argument('<shell>', 'shell', choice(['bash', 'zsh']));
  return root;
}

/** What is offered for a line whose last word is where the cursor is. */
async function offered(...line: string[]): Promise<string[]> {
  const { candidates } = await complete(commandTree(tree()), line.slice(0, -1), line.at(-1) ?? '', async () => sources);
  return candidates.map(({ word }) => word);
}

test.each<[string[], string[]]>([
  [[''], ['list', 'shorten', 'edit', 'stats', 'check', 'delete', 'tags', 'undo', 'completion', 'help']],
  [['l'], ['list', 'ls']],
  [
    ['tags', ''],
    ['list', 'rename', 'delete'],
  ],
  [
    ['tags', 'r'],
    ['rename', 'rm'],
  ],
  [['-p', 'work', 'li'], ['list']],
  [['--profile=work', 'li'], ['list']],
  [['-qp', 'work', 'li'], ['list']],
  [['-qpwork', 'li'], ['list']],
  [
    ['help', ''],
    [
      'list',
      'shorten',
      'edit',
      'stats',
      'check',
      'delete',
      'tags',
      'undo',
      'completion',
      'flags',
      'environment',
      'exit-codes',
      'formats',
      'csv',
      'filters',
    ],
  ],
  [
    ['help', 'e'],
    ['edit', 'environment', 'exit-codes'],
  ],
  [
    ['help', 'tags', ''],
    ['list', 'rename', 'delete'],
  ],
  [['nosuch', ''], []],
])('B95: after %j come the commands %j', async (line, words) => {
  expect(await offered(...line)).toEqual(words);
});

test.each<[string[], string[]]>([
  [['list', '--l'], ['--limit']],
  [
    ['list', '--pro'],
    ['--profile', '--progress'],
  ],
  [
    ['shorten', '--t'],
    ['--tag', '--timeout'],
  ],
  [
    ['shorten', '-t', 'one', '--t'],
    ['--tag', '--timeout'],
  ],
  [['list', '-L5', '--li'], []],
  [['list', '--limit=5', '--li'], []],
  [['shorten', '--no-email-stats', '--e'], ['--edition']],
  [['list', '--', '--l'], []],
  [['list', '--ver'], ['--verbose']],
  [['--ver'], ['--version', '--verbose']],
  [
    ['tags', 'rename', '--he'],
    ['--help', '--header'],
  ],
  [['list', '-L'], ['-L']],
  [['help', 'csv', '-'], []],
  [['help', 'csv', '--color='], []],
  [['help', 'formats', '-'], ['--json']],
  [['help', 'formats', '--json', '-'], []],
  [['help', 'list', '--l'], ['--limit']],
])('B95: at %j the flags are %j, global ones too, none that was given unless it repeats', async (line, words) => {
  expect((await offered(...line)).sort()).toEqual([...words].sort());
});

test.each<[string[], string[]]>([
  [
    ['list', '--order-by', ''],
    ['recent', 'clicks'],
  ],
  [['list', '--order-by=c'], ['--order-by=clicks']],
  [
    ['list', '-o', 'js'],
    ['json', 'jsonl'],
  ],
  [
    ['--color', ''],
    ['auto', 'always', 'never'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh'],
  ],
  [
    ['-p', ''],
    ['work', 'hobby', 'sandbox'],
  ],
  [['--profile=h'], ['--profile=hobby']],
  [['list', '--domain', ''], ['work.ex']],
  [['-p', 'hobby', 'list', '--domain', ''], ['hobby.ex']],
  [['shorten', '--profile=hobby', '--tag', 'h'], ['hobby-tag']],
  [['shorten', '-phobby', '--tag=h'], ['--tag=hobby-tag']],
  [['shorten', '--tag', 'a:'], ['a:b=c']],
  [['tags', 'rename', 'w'], ['work-tag']],
  [['tags', 'rename', 'work-tag', ''], []],
  [['tags', 'delete', 'w'], ['work-tag']],
  [['tags', 'rm', 'work-tag', 'w'], []],
  [
    ['tags', 'delete', 'work-tag', ''],
    ['a:b=c', '$(touch pwned)'],
  ],
  [
    ['tags', 'delete', '--', 'work-tag', ''],
    ['a:b=c', '-y', '$(touch pwned)'],
  ],
  [['list', '--fields', 'ha'], ['hash']],
  [
    ['list', '--fields', 'hash,'],
    ['hash,long_url', 'hash,note'],
  ],
  [['list', '--by-tags', 'w'], ['work-tag']],
  [['-p', 'hobby', 'list', '--by-tags=h'], ['--by-tags=hobby-tag']],
  [['list', '--by-tags', 'work-tag & ~w'], ['work-tag & ~work-tag']],
  [['list', '--by-tags', '(old|a:'], ['(old|a:b=c']],
  [['list', '--by-tags', '-w'], ['-work-tag']],
  [['list', '--by-tags', '"a&b", w'], ['"a&b", work-tag']],
  [['list', '--by-tags', '"a&w'], []],
  [
    ['undo', ''],
    ['last', '20310202-1', '20310201-2'],
  ],
  [['undo', 'la'], ['last']],
  [['undo', '20310201'], ['20310201-2']],
  [['undo', 'last', ''], []],
  [['list', '--limit', ''], []],
  [
    ['list', ''],
    ['spring', 'spark'],
  ],
  [['rm', 'sprin'], ['spring']],
  [['edit', 'spring', 'sp'], ['spark']],
  [['-p', '-hobby', 'stats', 'spr'], ['spring-hobby']],
  [['list', '--', 'spr'], ['spring']],
  [['check', 'spr'], []],
])('B95: at %j the values are %j', async (line, words) => {
  expect(await offered(...line)).toEqual(words);
});

test('B94: a label with a control character or a change of direction is not offered, any other is, as it is', async () => {
  expect(await offered('shorten', '--tag', '')).toEqual(['work-tag', 'a:b=c', '-y', '$(touch pwned)']);
});

test('B95: --by-tags offers no label that an expression would read as something else', async () => {
  expect(await offered('list', '--by-tags', '')).toEqual(['work-tag', 'a:b=c']);
});

test.each<[string, number, string[]]>([
  ['files', 0, ['shorten', '-f', '']],
  ['files', 0, ['shorten', '--file=']],
  ['files', 0, ['--ca-file', '']],
  ['files', 0, ['--api-key-file', '']],
  ['folders', 16, ['shorten', '--qr-file', '']],
  ['no files', 4, ['list', '']],
  ['no files', 4, ['shorten', 'https://']],
  ['no files', 4, ['list', '--limit', '']],
  ['no files', 4, ['list', '--nosuch=']],
  ['no files, and the order kept', 36, ['undo', '']],
  ['no files and no space', 6, ['list', '--fields', 'h']],
])('B93: %s, %i, at %j', async (_what, directive, line) => {
  expect((await complete(commandTree(tree()), line.slice(0, -1), line.at(-1) ?? '', async () => sources)).directive).toBe(
    directive,
  );
});
