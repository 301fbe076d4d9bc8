interface Exception {
  /** Below `test/`. */
  readonly file: string;
  /** Tests of the file; all without it. */
  readonly titles?: RegExp;
  readonly why: string;
}

const results = 'it compares the text of a results file, which has values as the server writes them';
const page = 'it compares the text of a page, which has values as the server writes them';
const label = 'it has a label in upper case, as the habits write it';

/** Tests that run on the plain server all the same. */
const exceptions: readonly Exception[] = [
  {
    file: 'commands/copy.test.ts',
    titles: /every link is made there|leads elsewhere there|clicks stay, tags|domains go where/,
    why: 'a copy has what the server shows, and the other account is plain',
  },
  { file: 'commands/counting.test.ts', titles: /tags delete says how many/, why: label },
  {
    file: 'commands/destinations.test.ts',
    titles: /where the links led|after a stop|would change nothing are unchanged/,
    why: results,
  },
  { file: 'commands/on-conflict-update.test.ts', titles: /is edited; a second run|ends with the same results/, why: results },
  { file: 'commands/on-conflict.test.ts', titles: /leads elsewhere is skipped/, why: results },
  { file: 'commands/pipes.test.ts', titles: /fields short_url \| linkctl stats/, why: 'it compares what a shell printed' },
  { file: 'commands/report.test.ts', titles: /one page of what|the newest verdict|the page covers all/, why: page },
  { file: 'commands/several-domains.test.ts', titles: /is named by its short URL/, why: results },
  { file: 'commands/tag-removal.test.ts', titles: /tags merge gives|tags delete takes/, why: label },
  { file: 'commands/undo-images.test.ts', why: 'it compares the record of a run, which has links as the server writes them' },
  { file: 'commands/undo-refused.test.ts', titles: /a line that was changed/, why: 'it changes a text of the record' },
];

/** Whether a test cannot run on a server with habits. */
export function isException(path: string, title: string): boolean {
  return exceptions.some(({ file, titles }) => path.endsWith(`/test/${file}`) && (titles?.test(title) ?? true));
}
