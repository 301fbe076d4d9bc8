import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Endpoint, endpoints } from '../../src/contract/operations.ts';
import { onlyOnce } from './only-once.ts';

const top = join(import.meta.dirname, '..', '..');
const readme = join(top, 'src', 'service', 'README.md');
const [opening, closing] = ['<!-- conformance -->\n', '<!-- /conformance -->'];

/** A test, by its title or by its text, and where it runs. */
interface Held {
  readonly file: string;
  readonly isInBothEditions: boolean;
}

const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts') && name !== 'conformance.test.ts')
  .map((name) => ({ file: name.replace('.test.ts', ''), text: readFileSync(join(import.meta.dirname, name), 'utf8') }));

/** Tests of both editions are inside a function, and so further to the right. */
const tests = files.flatMap(({ file, text }) =>
  text
    .split(/\n(?=(?: {2})?(?:test|plain|editionTest)(?:\.\w+)?\()/)
    .slice(1)
    .map((body) => ({ file, body, title: /['"`](.*)/.exec(body)?.[1] ?? '', isInBothEditions: body.startsWith('  ') })),
);

function row(name: string, held: readonly Held[]): string {
  const names = [...new Set(held.map(({ file }) => (onlyOnce.includes(file) ? `${file} (once)` : file)))];
  return `| ${name} | ${held.some(({ isInBothEditions }) => isInBothEditions) ? 'A, B' : 'A'} | ${names.join(', ')} |`;
}

function operationRow({ method, path, edition, selected }: Endpoint): string {
  const query =
    selected === undefined ? (path.includes(':') ? '' : "(?:\\?[^'`]*)?") : selected ? "\\?(?:hashes|tags)=[^'`]*" : '';
  const address = path.replace(/:\w+/, "[^/?'`]+");
  const call = new RegExp(`'${method}',\\s*['\`]${address}${query}['\`]`);
  const held = tests.filter(({ body }) => call.test(body));
  // Helpers of the fixtures make the commonest calls.
  const helped = path !== '/urls' ? undefined : method === 'POST' ? /\.shorten\(/ : method === 'GET' ? /\.hashes\(/ : undefined;
  const all = held.length > 0 || !helped ? held : tests.filter(({ body }) => helped.test(body));
  expect(all, `${method} ${path}`).not.toEqual([]);
  const suffix = selected === undefined ? '' : selected ? '?hashes=, ?tags=' : ', a hash in each item';
  const only = edition === 'a' ? all.map((each) => ({ ...each, isInBothEditions: false })) : all;
  return row(`\`${method} ${path.replace(/:(\w+)/, '[$1]')}${suffix}\``, only);
}

/** Numbers in a title or comment, lists and ranges among them. */
function cites(text: string, rule: string): boolean {
  const [, word = '', number = ''] = /^(FIELD-NOTES |section |[VS])(\d+)$/.exec(rule) ?? [];
  if (word === '') return new RegExp(`(?<![\\d.])${rule.replace('.', '\\.')}(?![\\d]|\\.\\d)`).test(text);
  const lists = text.matchAll(new RegExp(`${word}(\\d+(?:(?:, | and | to )(?:${word})?\\d+)*)`, 'g'));
  return [...lists].some(([, list = '']) => {
    const numbers = list
      .replaceAll(word, '')
      .split(/, | and /)
      .map((part) => part.split(' to ').map(Number));
    return numbers.some(([first = 0, last = first]) => first <= Number(number) && Number(number) <= last);
  });
}

test('every call and rule of the API has its tests, as the table of the README says', async () => {
  const page = readFileSync(readme, 'utf8');
  const rules = [...page.matchAll(/^- \*\*(\d[\d.]*|section \d+|FIELD-NOTES \d+|R-54|[VS]\d)\*\*/gm)].map(
    ([, rule = '']) => rule,
  );
  const ruleRow = (rule: string): string[] => {
    const held = tests.filter(
      ({ title, body }) => cites(title, rule) || cites((body.match(/\/\/.*|\/\*[\s\S]*?\*\//g) ?? []).join(), rule),
    );
    return held.length > 0 ? [row(rule, held)] : [];
  };
  const rows = [...Object.values(endpoints).map(operationRow), ...rules.flatMap(ruleRow)];
  const missing = rules.filter((rule) => ruleRow(rule).length === 0);
  const table = [
    '| Call or rule | Editions | Tests |',
    '|---|---|---|',
    ...rows,
    '',
    `Held by tests of other folders: ${missing.join(', ')}.`,
  ];
  const [start, end] = [page.indexOf(opening) + opening.length, page.indexOf(closing)];
  await expect(`${page.slice(0, start)}\n${table.join('\n')}\n\n${page.slice(end)}`, 'npm run generate').toMatchFileSnapshot(
    readme,
  );
});
