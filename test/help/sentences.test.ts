import { expect } from 'vitest';
import { wholeTree } from '../../src/cli/program.ts';
import type { CommandTree } from '../../src/help/command-tree.ts';
import { topicNames } from '../../src/help/stored-tree.ts';
import { type Linkctl, test } from '../support/linkctl.ts';

const maximumWords = 20;

/** Phrases over which readers stumbled, and the plain word for each. */
const unusualPhrases: readonly (readonly [now: RegExp, better: string])[] = [
  [/\b(?:take[sn]?|took|change[sd]?|puts?) (?:(?:a|the) \w+ |it |them )?back\b|\bundone already\b/, 'undo, revert'],
  [/\bas (?:the|a) file (?:of links )?says\b|\bgets what\b/, 'in line with'],
  [/\b(?:so|that) long\b|\bmeanwhile\b/, 'until then, while this runs'],
  [/\bof (?:your|its) own\b/, 'private, separate'],
  [/\b(?:hears?|heard|tells?|told|whom|somebody)\b/, 'say, report, someone'],
  [/\bwhat became of\b|\bgo(?:es)? on\b|\bpass(?:es)? over\b|\bmend\b/, 'status, continue, ignore, correct'],
  [/\bin force\b|\bstands?\b|\bmere(?:ly)?\b|\bgoverns?\b/, 'applies'],
  [/\bname of a run\b|\ba beginning that\b/, 'run ID, prefix'],
  [/\b(?:nothing|never) says\b|\bsays? (?:so|nothing)\b|\bsends nothing\b/, 'states, changes nothing'],
  [/\breading nearest\b|\bno reading is\b|\bas long a time\b/, 'recorded reading closest to, of the same length'],
  [/\bwhat (?:is broken|this tool)\b|\bverdicts?\b|\bit may be well\b|\ba person must\b/, 'links that failed, results'],
  [/\bis no (?:report|link|step)\b|\basked for were\b/i, 'only if it is not, requested'],
  [/\bpolite(?:ly|ness)?\b|\bleft alone\b|\b\d+ a host\b/, 'limits, left unchanged, per host'],
  [/\bwhat the row\b|\bleaves? (?:\w+ )?to the server\b|\bleaves out\b/, 'the fields in the row'],
  [/\bbelong together\b|\bworking domain\b/, 'domain of the same name, default domain'],
  [/\btwo readings\b|\bmay also be\b|--formula-guarded\b/, 'ambiguous, could be either'],
  [/\btakes precedence\b|\bputs? \S+ \S+ \S+ through\b/, 'the first of, processes'],
  [/\bthat is there\b|\bthat are there\b|\bstay as (?:they are|it is)\b|\bleft as (?:it|they)\b/, 'existing, left unchanged'],
];

test('no sentence of a help page has more than 20 words', async ({ linkctl }) => {
  const { pages, commands } = await everyPage(linkctl);
  const long = pages.flatMap(({ name, text }) =>
    sentences(text)
      .map((sentence) => ({ sentence, words: wordCount(sentence, commands) }))
      .filter(({ words }) => words > maximumWords)
      .map(({ sentence, words }) => `${name}: ${words} words: ${sentence}`),
  );
  expect(long).toEqual([]);
});

test('no help page has a phrase that readers stumbled over', async ({ linkctl }) => {
  const { pages } = await everyPage(linkctl);
  const unusual = pages.flatMap(({ name, text }) =>
    unusualPhrases.flatMap(([now, better]) => {
      const found = now.exec(text.replace(/\s+/g, ' '));
      return found ? [`${name}: ${found[0]} (better: ${better})`] : [];
    }),
  );
  expect(unusual).toEqual([]);
});

test('code, a flag with its value and quoted text count as one word', () => {
  const count = (sentence: string) => wordCount(sentence, ['list', 'tags', 'tags rename', 'runs verify']);
  expect(count('Run linkctl tags rename --dry-run first.')).toBe(3);
  expect(count('Add --map-domain <old=new> or "a b c".')).toBe(4);
  expect(count('list -o csv > links.csv shows tags')).toBe(3);
  expect(count('On edition A, runs verify & list --json work')).toBe(7);
  expect(count('one file (.csv, .json or .jsonl) each')).toBe(4);
});

test('sentences are cut from paragraphs, not from examples, tables and usage lines', () => {
  const page =
    'Do it. Then\nstop (now).\n\nUsage: x\n\nExamples:\n  a b. c\n\nSee:\n  a  b\n\nLast one e.g. this. --flag is\none.\n';
  expect(sentences(page)).toEqual(['Do it.', 'Then stop (now).', 'See:', 'Last one e.g. this.', '--flag is one.']);
});

interface Page {
  readonly name: string;
  readonly text: string;
}

/** Help as it is printed: of the root, of every command and of every topic. */
async function everyPage(linkctl: Linkctl): Promise<{ pages: Page[]; commands: string[] }> {
  const paths = withChildren(await wholeTree());
  const lines = [...paths.map((path) => [...path, '--help']), ...topicNames.map((topic) => ['help', topic])];
  const pages: Page[] = [];
  for (const line of lines) {
    const { code, stdout } = await linkctl(line);
    expect([line, code]).toEqual([line, 0]);
    pages.push({ name: line.join(' '), text: stdout });
  }
  return { pages, commands: paths.map((path) => path.join(' ')).filter(Boolean) };
}

/** The words of every command that has a help, from the root on. */
function withChildren({ line, commands }: CommandTree): string[][] {
  return [line.split(' ').slice(1), ...commands.flatMap(withChildren)];
}

/** Indented lines are examples and tables. */
function sentences(page: string): string[] {
  return page
    .split('\n\n')
    .map((block) =>
      block.split('\n').filter((line) => !/^ |^(?:Usage|Alias|Examples?|Flags|Global flags|Fields|More|Exit codes):/.test(line)),
    )
    .flatMap((lines) => lines.join(' ').split(/(?<=[^\s.][.?!]["')]*)(?<!e\.g\.|i\.e\.|etc\.) /))
    .map((sentence) => sentence.trim())
    .filter(Boolean);
}

/** The words a reader reads: a command line or a list of code is one, and signs alone are none. */
function wordCount(sentence: string, commands: readonly string[]): number {
  const names = commands.toSorted((one, other) => other.length - one.length).join('|');
  const flag = String.raw`--?[a-z][\w-]*(?:[ =](?:<[^>]+>|[\w-]*[.=/_][\w.=/,-]*\w|csv|jsonl?|tsv|-(?= |$)))?`;
  return sentence
    .replace(/"[^"]*"/g, 'quoted')
    .replace(new RegExp(`\\blinkctl (?:${names})\\b`, 'g'), 'linkctl')
    .replace(new RegExp(`(?<![\\w-])(?:${names})(?= ${flag})`, 'g'), 'linkctl')
    .replace(new RegExp(`\\blinkctl(?: <\\w+>)?(?: ${flag})+(?: > [\\w.]+)?`, 'g'), 'linkctl')
    .replace(new RegExp(`(?<![\\w-])${flag}`, 'g'), '--flag')
    .replace(/(?<![\w/])(?:\.\w+|\w+[_$=<>]\S*|\+\d\w)(?:(?:, | or | and |, or | \| )(?:\.\w+|\w+[_$=<>]\S*|\+\d\w))+/g, 'code')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
