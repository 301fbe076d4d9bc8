import type { DeedName } from './deeds.ts';

/** What each command makes of a fault: `exit 0, 2 writes: 5 created`, and how many rows took effect where not all did. */
export type Expected = { readonly [D in DeedName]?: string };

/** Nothing is noticed. */
export const unharmed = {
  shorten: 'exit 0, 1 write',
  'shorten -f': 'exit 0, 2 writes: 5 created',
  keyed: 'exit 0, 2 writes: 5 created',
  edit: 'exit 0, 1 write',
  'edit -f': 'exit 0, 2 writes: 5 changed',
  delete: 'exit 0, 2 writes: 5 deleted',
} as const satisfies Expected;

/** A request was for nothing: it is made once more. */
export const madeAgain = {
  shorten: 'exit 0, 2 writes',
  'shorten -f': 'exit 0, 3 writes: 5 created',
  keyed: 'exit 0, 3 writes: 5 created',
  edit: 'exit 0, 2 writes',
  'edit -f': 'exit 0, 3 writes: 5 changed',
  delete: 'exit 0, 3 writes: 5 deleted',
} as const satisfies Expected;

/** The same where only a reading can show it, which proves nothing of a URL that was typed: it is not sent again (D1). */
export const nothingApplied = { ...madeAgain, shorten: 'exit 10, 1 write; 0 of 1 took effect' } as const satisfies Expected;

/**
 * A request took effect and its answer is lost. A file of plain rows finds all of it by reading back and sends nothing again;
 * what can be repeated without harm is repeated; one URL that was typed is in doubt, since nobody knows what was there before.
 */
export const answerLost = {
  ...madeAgain,
  shorten: 'exit 10, 1 write',
  'shorten -f': 'exit 0, 2 writes: 5 created',
} as const satisfies Expected;

/** The same with a fault that is not met by trying again: edits and deletions read, and see that they were made. */
export const answerUseless = {
  ...answerLost,
  edit: 'exit 0, 1 write',
  'edit -f': 'exit 0, 2 writes: 5 changed',
  delete: 'exit 0, 2 writes: 5 deleted',
} as const satisfies Expected;

/** The server refuses the call, and would refuse any other. */
export function stoppedBy(exit: number): Required<Expected> {
  return {
    shorten: `exit ${exit}, 1 write; 0 of 1 took effect`,
    'shorten -f': `exit ${exit}, 1 write: 5 not_sent; 0 of 5 took effect`,
    keyed: `exit ${exit}, 1 write: 1 created, 4 not_sent; 1 of 5 took effect`,
    edit: `exit ${exit}, 1 write; 0 of 3 took effect`,
    'edit -f': `exit ${exit}, 1 write: 5 not_sent; 0 of 5 took effect`,
    delete: `exit ${exit}, 1 write: 5 not_sent; 0 of 5 took effect`,
  };
}

/** The same with the second batch: what was done stays. */
export function stoppedInTheMiddleBy(exit: number): Expected {
  const half = (status: string): string => `exit ${exit}, 2 writes: 3 ${status}, 2 not_sent; 3 of 5 took effect`;
  return { 'shorten -f': half('created'), keyed: half('created'), 'edit -f': half('changed'), delete: half('deleted') };
}

/** The server refuses the rows of this call. */
export function refusedBy(exit: number): Required<Expected> {
  return {
    shorten: `exit ${exit}, 1 write; 0 of 1 took effect`,
    'shorten -f': 'exit 3, 2 writes: 3 failed, 2 created; 2 of 5 took effect',
    keyed: 'exit 3, 2 writes: 3 created, 2 failed; 3 of 5 took effect',
    edit: `exit ${exit}, 1 write; 0 of 3 took effect`,
    'edit -f': 'exit 3, 2 writes: 3 failed, 2 changed; 2 of 5 took effect',
    delete: 'exit 3, 2 writes: 3 failed, 2 deleted; 2 of 5 took effect',
  };
}

/** Nothing takes effect, however often it is tried. Reading back shows that nothing is in doubt; elsewhere it is. */
export function neverAnswered(writes: number): Required<Expected> {
  return {
    shorten: 'exit 10, 1 write; 0 of 1 took effect',
    'shorten -f': 'exit 8, 5 writes: 5 not_sent; 0 of 5 took effect',
    keyed: `exit 10, ${writes} writes: 1 created, 2 unknown, 2 not_sent; 1 of 5 took effect`,
    edit: `exit 10, ${writes} writes; 0 of 3 took effect`,
    'edit -f': `exit 10, ${writes} writes: 3 unknown, 2 not_sent; 0 of 5 took effect`,
    delete: `exit 10, ${writes} writes: 3 unknown, 2 not_sent; 0 of 5 took effect`,
  };
}

/** For a variant of a fault that another row of the table shows with every command. */
export function only(expected: Expected, ...names: readonly DeedName[]): Expected {
  return Object.fromEntries(names.map((name) => [name, expected[name]]));
}
