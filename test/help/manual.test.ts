import { execFileSync } from 'node:child_process';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { manualPage } from '../../bin/build/manual.ts';
import { reference, withReference } from '../../bin/build/reference.ts';
import { wholeTree } from '../../src/cli/program.ts';
import { type CommandTree, commandTree } from '../../src/help/command-tree.ts';
import { describe } from '../../src/help/description.ts';
import { needs } from '../support/tools.ts';

function tree(): CommandTree {
  const root = new Command('linkctl').description('Do it.').usage('<command>').helpCommand(false);
  root.option('-p, --profile <name>', 'credentials');
  const list = root.command('list').alias('ls').summary('List a|b').description('List <all> a|b.').argument('[hash...]');
  list.option('--by-tags <a|b>', "what\n'does' \\e it \u00e9");
  describe(list, { examples: ["linkctl list --by-tags '~x^y'"], notes: [".dot and 'quote"] });
  const tags = root.command('tags').helpCommand(false);
  tags.command('add').summary('Add').argument('<label>');
  return commandTree(root);
}

test('B98: the manual names every command that runs, its verbs included', () => {
  const page = manualPage(tree(), '1.2.3');
  expect(page.match(/^\.SS .*/gm)).toEqual(['.SS linkctl list', '.SS linkctl tags add']);
  expect(page).toContain('"linkctl 1.2.3"');
  expect(page).toContain('linkctl list \\-\\-by\\-tags \\(aq\\(tix\\(hay\\(aq\n');
  expect(page).toContain('\\&.dot and \\(aqquote\n');
  expect(page).not.toContain('unseen');
});

test('CLI 3.3: the manual has the usual sections in their order, and says what [edition A] is before it says it', () => {
  const page = manualPage(tree(), '1.2.3');
  const usual = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'FILES', 'ENVIRONMENT', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO'];
  const sections = [...page.matchAll(/^\.SH (.*)/gm)].map(([, name = '']) => name);
  expect(sections.filter((name) => usual.includes(name))).toEqual(usual);
  expect(page.indexOf('[edition A] marks')).toBeGreaterThan(page.indexOf('.SH DESCRIPTION'));
  expect(page.indexOf('[edition A] marks')).toBe(page.indexOf('[edition A]'));
});

test('B98: groff reads the manual of the whole program without a warning', async () => {
  needs('groff');
  const page = manualPage(await wholeTree(), '1.2.3');
  const format = (redirection: string): string =>
    execFileSync('sh', ['-c', `groff -man -ww -Tascii -P-cbou ${redirection}`], { input: page, encoding: 'utf8' });
  expect(format('2>&1 >/dev/null')).toBe('');
  const shown = format('');
  expect(shown).toContain('EXIT STATUS');
  expect(shown).toMatch(/--api-key-file <path>/);
});

test('B98: the reference is one line for each command, as Markdown that reads as it was typed', () => {
  expect(reference(tree())).toBe('| Command | |\n|---|---|\n| `linkctl list`, `ls` | List a\\|b |\n| `linkctl tags` |  |\n');
});

test('only what is between the markers of the README is replaced', () => {
  const readme = '# It\n<!-- reference -->\nold\n<!-- /reference -->\nthe end\n';
  const renewed = withReference(readme, tree());
  expect(renewed).toMatch(/^# It\n<!-- reference -->\n\n\| Command/);
  expect(renewed).toMatch(/\n<!-- \/reference -->\nthe end\n$/);
  expect(withReference(renewed, tree())).toBe(renewed);
  expect(() => withReference('# It', tree())).toThrow('README.md: expected <!-- reference -->');
});
