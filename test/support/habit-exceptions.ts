interface Exception {
  /** Below `test/`. */
  readonly file: string;
  /** Tests of the file; all without it. */
  readonly titles?: RegExp;
  readonly why: string;
}

const unchanged = 'it says unchanged of a note, which such a server never shows as it was asked for';

/** Tests that run on the plain server all the same. */
const exceptions: readonly Exception[] = [
  {
    file: 'commands/consent.test.ts',
    titles:
      /nor with --yes: scripts keep working|shows what is otherwise|of one row the change|shows what is left|names the links of both/,
    why: unchanged,
  },
  { file: 'commands/destinations.test.ts', titles: /would change nothing are unchanged/, why: unchanged },
  { file: 'commands/dry-run.test.ts', titles: /edit says what would be otherwise|it is a file for edit/, why: unchanged },
  { file: 'commands/edit.test.ts', titles: /is so already|only the case of a host/, why: unchanged },
  { file: 'commands/old-long-url.test.ts', titles: /leaves a link alone that leads elsewhere since/, why: unchanged },
  { file: 'commands/undo-never-sent.test.ts', titles: /an edit of a link that was as requested/, why: unchanged },
  { file: 'commands/resumed-selections.test.ts', titles: /each once, and none of those/, why: unchanged },
  {
    file: 'commands/copy.test.ts',
    titles: /every link is made there|leads elsewhere there|clicks stay, tags|domains go where/,
    why: 'a copy has what the server shows, and the other account is plain',
  },
  { file: 'commands/base.test.ts', titles: /that the user made of a listing|counts the cells that are empty/, why: unchanged },
  { file: 'commands/refused-flags.test.ts', titles: /a batch that needs no change/, why: unchanged },
  { file: 'commands/selections.test.ts', titles: /those too that were as asked/, why: unchanged },
  { file: 'commands/habits.test.ts', titles: /whose dates are written as/, why: 'the server has a habit of its own there' },
  {
    file: 'commands/base.test.ts',
    titles: /show the labels that a link gets/,
    why: 'a plan shows labels in the order of the server, which is another there',
  },
  { file: 'commands/undo-images.test.ts', why: 'it compares the record of a run, which has links as the server writes them' },
  { file: 'commands/undo-refused.test.ts', titles: /a line that was changed/, why: 'it changes a text of the record' },
];

/** Whether a test cannot run on a server with habits. */
export function isException(path: string, title: string): boolean {
  return exceptions.some(({ file, titles }) => path.endsWith(`/test/${file}`) && (titles?.test(title) ?? true));
}
