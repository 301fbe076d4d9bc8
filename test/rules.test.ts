import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The numbers of rules: their form, where they are defined, and where code and tests cite them. */
const top = join(import.meta.dirname, '..');
const readmes = ['src/README.md', 'src/bulk/README.md', 'src/service/README.md', 'test/README.md', 'test/bench/README.md'];

/** `B12`, `C07`, `D3`, `F30`, `J1`, `R-24`, `R-X7`: a letter makes them unmistakable. `V8` is an engine. */
const lettered =
  'B\\d{1,2}|C\\d{2}|D\\d{1,2}|E\\d{1,2}[ab]?|F\\d{1,2}|G\\d{1,2}|H\\d|I\\d{1,2}|J\\d|K\\d|O\\d|P\\d|Q\\d|R-X?\\d{1,2}|S[1-6]|T\\d{1,2}|U\\d|V[1-6]|W\\d';
/** `R 1.6`, `CLI 3.5`, `FIELD-NOTES 6`, `section 8`: chapters by their words. */
const worded = 'R \\d(?:\\.\\d{1,2}){1,2}|CLI \\d(?:\\.\\d){0,2}|FIELD-NOTES \\d{1,2}|section \\d';
/** `4.3.4`, `4.3.4c`: the document of the API, in brackets and in the names of tests. */
const bare = '[1-9](?:\\.\\d{1,2}){1,2}[abc]?';

const unmistakable = new RegExp(`(?<![\\w.-])(?:${lettered}|${worded})(?![\\w-]|\\.\\d)`, 'g');
const one = `(?:${lettered}|${worded}|${bare})`;
const list = `${one}(?:(?:, | to | and )(?:${one}|\\d{1,2}(?![\\d.])))*`;
const inBrackets = new RegExp(`(?<!\\w)\\((?:API\\.md )?(${list})(?=[),:;. ])`, 'g');
const named = new RegExp(`['"\`](${list})(?=: |, %s)`, 'g');

/** The rules that a text cites, a range (`F01 to F18`) as all of its numbers. */
function cited(text: string): string[] {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map(([comment]) => comment);
  const titles = [...text.matchAll(named)].map(([, title = '']) => title);
  const bracketed = [...comments, ...text.split('\n').filter((line) => /['"`]/.test(line))];
  return [
    ...comments.flatMap((comment) => [...comment.matchAll(unmistakable)].map(([rule]) => rule)),
    ...comments.flatMap((comment) =>
      [...comment.matchAll(new RegExp(`(?:${one}) to ${one}`, 'g'))].flatMap(([range]) => inList(range)),
    ),
    ...titles.flatMap(inList),
    ...bracketed.flatMap((part) => [...part.matchAll(inBrackets)].flatMap(([, rules = '']) => inList(rules))),
  ];
}

function inList(text: string): string[] {
  const rules: string[] = [];
  for (const [, joint, rule = ''] of text.matchAll(new RegExp(`(?:^|(, | to | and ))(${one}|\\d{1,2})`, 'g'))) {
    const [, kind = '', number = ''] = /^(.*?)(\d+)[abc]?$/.exec(rules.at(-1) ?? '') ?? [];
    const next = /^\d+$/.test(rule) ? kind + rule : rule;
    if (joint === ' to ') {
      const last = Number(/(\d+)$/.exec(next)?.[1]);
      for (let each = Number(number) + 1; each < last; each += 1) rules.push(kind + String(each).padStart(number.length, '0'));
    }
    rules.push(next);
  }
  return rules.map((rule) => (/^\d/.test(rule) ? rule.replace(/[abc]$/, '') : rule));
}

function citedIn(folder: string): Map<string, string> {
  const places = new Map<string, string>();
  for (const name of readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(ts|js|mjs|py)$/.test(name) || name === 'rules.test.ts') continue;
    for (const rule of cited(readFileSync(join(top, folder, name), 'utf8'))) places.set(rule, `${folder}/${name}`);
  }
  return places;
}

const defined = readmes.flatMap((path) =>
  [...readFileSync(join(top, path), 'utf8').matchAll(/^- \*\*(.+?)\*\* (.+)/gm)]
    .filter(([, rule = '']) => new RegExp(`^${one}$`).test(rule))
    .map(([, rule = '', text = '']) => ({ rule, path, text })),
);
const inTests = citedIn('test');
const citations = new Map([...citedIn('src'), ...citedIn('bin'), ...inTests]);
/** Places by number, for messages that say where to look. */
const without = (rules: Iterable<[string, string]>, known: ReadonlySet<string>): string[] =>
  [...rules].filter(([rule]) => !known.has(rule)).map(([rule, place]) => `${rule} (${place})`);

test('every number that code or tests cite is defined in a README', () => {
  expect(without(citations, new Set(defined.map(({ rule }) => rule)))).toEqual([]);
});

test('code and tests cite no document that is not in the repository', () => {
  const places = ['src', 'bin', 'test'].flatMap((folder) =>
    readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|js|mjs)$/.test(name) && name !== 'rules.test.ts')
      .filter((name) =>
        /(?:CLI|DESIGN|JOBS|PERFORMANCE|RELIABILITY|SERVICE)\.md/.test(readFileSync(join(top, folder, name), 'utf8')),
      )
      .map((name) => `${folder}/${name}`),
  );
  expect(places).toEqual([]);
});

test('a number is defined once', () => {
  const rules = defined.map(({ rule }) => rule);
  expect(rules.filter((rule, index) => rules.indexOf(rule) !== index)).toEqual([]);
});

test('every number that is defined is held by a test that cites it', () => {
  const heldByTests = new Set(inTests.keys());
  expect(
    without(
      defined.map(({ rule, path }): [string, string] => [rule, path]),
      heldByTests,
    ),
  ).toEqual([]);
});

describe('what is a citation', () => {
  test.each([
    ["test('B4, R-5: it', () => {})", ['B4', 'R-5']],
    ["test.for([['F08: silent']])('R 2.1, %s', f)", ['F08', 'R 2.1']],
    [
      '// by R 1.6, as J1 says (4.3.4c, FIELD-NOTES 23 to 25)',
      ['R 1.6', 'J1', 'FIELD-NOTES 23', '4.3.4', 'FIELD-NOTES 23', 'FIELD-NOTES 24', 'FIELD-NOTES 25'],
    ],
    ['/** F01 to F03, after all. */', ['F01', 'F03', 'F01', 'F02', 'F03']],
    ["expect(Math.max(2.5, 3)).toBe('3.1'); // HTTP 1.1, 2.8 times, V8, C1", []],
  ])('%s', (text, rules) => {
    expect(cited(text)).toEqual(rules);
  });
});
