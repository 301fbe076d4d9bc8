import { afterAll, describe, expect, test } from 'vitest';
import { apiKey, username } from '../support/linkctl.ts';
import { memberAt, type Path, pathsIn, withMember, withNames, withTexts } from './answer-changes.ts';
import { type CellOptions, openCell } from './cell.ts';
import { goodAnswer, type Subject, subjects } from './command-table.ts';

const cells = await Promise.all(subjects.map(async (subject) => ({ subject, cell: await openCell(subject) })));
afterAll(async () => {
  for (const { cell } of cells) await cell.close();
});

/** OSC 52, CSI, CR, TAB, C1, direction, separators, BOM, invisible tags, NUL, half a surrogate, a formula, quotes, DEL (F42). */
const hostile =
  '\u001b]52;c;x\u0007\u001b[2J\r\n\t\u009b31m\u202e\u2028\u2066\ufeff\u{e0041}\u0000\ud800=1+1,";\u061c\u200e\u007f\u200dend';
const credentials = Buffer.from(`${username}:${apiKey}`).toString('base64');
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'length'];
/** Of a wrong type, or none. A number is no wrong type for a number, but this one is none that can be counted. */
const wrongValues = (good: unknown): unknown[] => [typeof good === 'number' ? 1e308 : 7, 'x', null, {}, [null], undefined];

const toPipe = (format: string): [string, CellOptions] => [`${format} in a pipe`, { flags: ['-o', format], terminal: {} }];
const onTerminal = (format: string): [string, CellOptions] => [
  `${format} on a terminal`,
  { flags: ['-o', format, '--no-color'], terminal: { stdout: true, stderr: true } },
];
const formats = ['table', 'json', 'jsonl', 'csv', 'tsv'];
/** In a pipe csv, and any answer to `api`, goes on as it came. */
const isRaw = ({ name }: Subject, what: string): boolean =>
  what === 'csv in a pipe' || (name === 'api' && what.endsWith('in a pipe'));
/** A table of one link's clicks has its long URL, too: it is read from the listing, as for several links. */
const makesCall = ({ name }: Subject, what: string): boolean => name !== 'stats <hash>' || !what.startsWith('table');

/** Answers that the document allows, however odd: a read shows them, and only what must be matched leaves a change in doubt. */
const tolerated: { readonly [subject: string]: number } = {
  shorten: 10,
  'shorten -f': 8,
  edit: 10,
  'list <hash>': 5,
  'stats <hash>': 5,
  'tags add': 6,
  'tags rename': 6,
  'runs verify': 1,
};

describe.each(cells)('$subject.name', ({ subject, cell }) => {
  const good = goodAnswer(subject.call);
  const exit = tolerated[subject.name] ?? 0;

  test.each([...formats.map(onTerminal), ...formats.map(toPipe)])(
    'F42, R-45, G11, R-40, G10: hostile text and the key in every member drive nothing, and the key is not shown: %s',
    async (what, options) => {
      const body = withTexts(good, (text) => `${text}${hostile} Authorization: Basic ${credentials}, ${apiKey}`);
      const headers = { 'x-echo': apiKey, 'content-type': `application/json; ${apiKey}` };
      const seen = await cell.observe([{ answer: { headers, body } }], options);
      expect(seen.violations.filter((violation) => violation.includes('the key'))).toEqual([]);
      if (!isRaw(subject, what) && makesCall(subject, what)) expect(seen).toMatchObject({ exit, violations: [] });
    },
  );

  // What kind of failure it is depends on the status, and how it is told on the flags.
  test.each([
    [200, [[], ['-o', 'json', '--debug']]],
    [400, [[], ['--debug'], ['-o', 'json', '--debug'], ['-v']]],
    [500, [['--debug']]],
  ])('R-40: a server that sends the key back in an error, with %i', async (status, told) => {
    const error = { code: 1215, message: `not Basic ${credentials}`, details: hostile + apiKey };
    for (const flags of told) {
      const seen = await cell.observe([{ answer: { status, body: { ...good, error } } }], { flags });
      expect(seen.violations.filter((violation) => !violation.startsWith('a bug shows'))).toEqual([]);
    }
  });

  test('F41: names of Object.prototype at any depth pollute nothing', async () => {
    const seen = await cell.observe([{ answer: { body: withNames(good, names) } }]);
    expect(seen).toMatchObject({ exit: 0, violations: [] });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('F36, F40, R-35: every member of every wrong type, or missing: an answer or a sentence', async () => {
    const known = subject.changes ? [0, 1, 6, 8, 10] : [0, 1, 5, 8];
    for (const path of pathsIn(good)) {
      for (const value of wrongValues(memberAt(good, path))) {
        const seen = await cell.observe([{ answer: { body: withMember(good, path, value) } }]);
        const what = `${path.join('.')} as ${JSON.stringify(value)}`;
        expect({ what, ...seen, isKnown: known.includes(seen.exit) }).toMatchObject({ what, violations: [], isKnown: true });
        if (seen.exit === 8 && subject.name !== 'shorten -f') expect(seen.stderr, what).toContain(nameOf(path));
      }
    }
  });
});

/** As messages name a member: `urls[0].hash`, or something around or in it. */
function nameOf([first = '']: Path): string {
  return `(field ${first}`;
}
