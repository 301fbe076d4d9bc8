import type { Client } from '../../client/client.ts';
import type { LinkKey } from '../../contract/link.ts';
import { isSameDomain } from '../../contract/web-address.ts';
import { askedPrints, type LinkPrints, valuePrints } from '../../link/prints.ts';
import { linksInFront, type NewnessTest } from '../checked/links-in-front.ts';
import { type BeforeImage, type KeptImages, keptImages } from '../journal/images.ts';
import {
  canSettle,
  changeKind,
  isInDoubt,
  type RowState,
  type RunState,
  tagsInDoubt,
  unrepeatableCount,
  untraceableRows,
} from '../journal/journal-state.ts';
import { damaged, type LineLocation, linesBackwards, parsedLines, readJournal } from '../journal/line-reader.ts';
import { type BeginLine, isOfRow, type ResultLine, type TakenUrl } from '../journal/lines.ts';
import { answeredDomain, linksOf, resultsOf } from '../journal/recorded-results.ts';
import { foldKeptRun } from '../journal/run-folder.ts';
import { changeOf, type DoneChange, joinedChanges, movedHashes, type TouchedImage, touchesAny } from './done-change.ts';
import { type RunFolders, type RunRecord, runRecord } from './run-names.ts';
import { withoutUnsent } from './sent-rows.ts';

export type DoneRun = Awaited<ReturnType<typeof readDoneRun>>;

/** Reads a run that is to be undone. Throws `NotFoundError` if its record is gone, and `LocalError` if its journal is damaged. */
export async function readDoneRun(run: string, folders: RunFolders) {
  const record = runRecord(run, folders);
  const state = await withoutUnsent(await foldKeptRun(run, folders), record);
  const { begin, undoneBy, outgrown, size, mark } = state;
  const kind = changeKind(begin);
  const nameless = untraceableRows(state);
  // Links of given hashes can be found if a reading showed that the hashes were free.
  const free = new Set(nameless.length > 0 ? await freeBefore(await keptImages(record, begin.input.rows)) : []);
  return {
    begin,
    undoneBy,
    outgrown,
    size,
    kind,
    /** Number of rows that may have created links which cannot be found. */
    untraceableRows: nameless.filter((row) => !free.has(row)).length,
    // Of the runs with a one-file record, the same command resumes only those without rows: changes of tags.
    isSettledLater: (!record.isSmall || begin.input.rows === 0) && canSettle(state),
    tagsInDoubt: tagsInDoubt(state),
    /** Number of untraceable rows that another run would make a second time. Typed links are always made anew. */
    unrepeatableRows: record.isSmall ? 0 : unrepeatableCount(state),
    images: record.images,
    /** Finds the links that are newer than the start of the run. Nothing shows that the run created any other link. */
    newerLinks: async (client: Pick<Client, 'send' | 'edition'>): Promise<NewnessTest> =>
      mark ? await linksInFront(mark, { client, domain: begin.domain }) : () => undefined,
    /** Yields groups of changes, last first. */
    changes: () => changesOf(kind, record, state),
  };
}

/** States of rows that changed nothing. */
const untouched: ReadonlySet<RowState> = new Set(['free', 'unchanged', 'existing']);

function isTouched({ row }: BeforeImage, { stateOf, mayBePartlyApplied }: RunState): boolean {
  return stateOf(row) === 'failed' ? mayBePartlyApplied(row) : !untouched.has(stateOf(row));
}

interface RecordedRun {
  readonly record: RunRecord;
  readonly state: RunState;
  readonly images: KeptImages;
  /** Returns the link of a row that was renamed, or applied, but not as requested. */
  answered(image: BeforeImage): Promise<TakenUrl | undefined>;
}

async function* changesOf(
  kind: BeginLine['operation'],
  record: RunRecord,
  state: RunState,
): AsyncGenerator<readonly DoneChange[]> {
  const { stateOf, locationOf, begin } = state;
  const images = await keptImages(record, begin.input.rows);
  const results = parsedLines(record.journal, 'result', resultsOf);
  const answered = async ({ row, payload }: BeforeImage): Promise<TakenUrl | undefined> => {
    const isRename = 'custom_hash' in payload && stateOf(row) === 'changed';
    return isRename || stateOf(row) === 'failed' ? (await results.at(locationOf(row))).get(row)?.url : undefined;
  };
  const run = { record, state, images, answered };
  try {
    yield* kind === 'shorten' ? newLinks(run) : kind === 'apply' ? appliedChanges(run) : changedLinks(run);
  } finally {
    await results.close();
  }
}

async function* changedLinks({ record, state, images, answered }: RecordedRun): AsyncGenerator<readonly DoneChange[]> {
  assertWhole(images, state, record.images);
  const touched = async function* (): AsyncGenerator<readonly TouchedImage[]> {
    for await (const some of images.backwards()) {
      const changed: TouchedImage[] = [];
      for (const image of some.filter((image) => isTouched(image, state))) {
        const link = await answered(image);
        changed.push({ ...image, made: link?.values, madeHash: link?.hash });
      }
      yield changed;
    }
  };
  yield* joinedByLink(touched, state);
}

async function* joinedByLink(
  touched: () => AsyncIterable<readonly TouchedImage[]>,
  state: RunState,
): AsyncGenerator<readonly DoneChange[]> {
  const moved = state.begin.operation === 'edit' ? await movedHashes(touched) : new Set<string>();
  if (moved.size > 0) {
    const chained: TouchedImage[] = [];
    for await (const some of touched()) chained.push(...some.filter((image) => touchesAny(image, moved)));
    yield joinedChanges(chained, state).reverse();
  }
  for await (const some of touched()) {
    const alone = moved.size === 0 ? some : some.filter((image) => !touchesAny(image, moved));
    yield alone.map((image) => changeOf(image, state));
  }
}

/** Yields the changes of a run that also created links. The image of a created link only shows that there was none. */
async function* appliedChanges(run: RecordedRun): AsyncGenerator<readonly DoneChange[]> {
  const free = await freeBefore(run.images);
  yield* createdLinks(run, { isProven: () => true, isNew: (row) => free.has(row) });
  yield* possibleCreations(run);
  for await (const some of changedLinks(run)) yield some.filter(({ before }) => before !== null);
}

/** Yields what rows may have created whose hashes were free before: those in doubt, and those that were refused after an attempt in doubt. */
async function* possibleCreations({ state, images, answered }: RecordedRun): AsyncGenerator<readonly DoneChange[]> {
  const { stateOf, mayBePartlyApplied, undoneBy, wasMissed } = state;
  // After an undo that did not find the link, the same command or somebody else may have created it.
  const isProven = undoneBy.length === 0 && !wasMissed;
  for await (const some of images.backwards()) {
    const created: DoneChange[] = [];
    for (const image of some.filter(({ record }) => record === null)) {
      const { row, payload } = image;
      const { hash, domain, ...asked } = payload;
      const isOpen = isInDoubt(stateOf(row));
      const isRefused = stateOf(row) === 'failed' && mayBePartlyApplied(row) && !(await answered(image));
      const made = isOpen ? askedPrints(asked) : undefined;
      if (isOpen || isRefused) created.push({ ...createdLink(row, { hash, domain }, made, isProven), isOpen });
    }
    yield created;
  }
}

function assertWhole(images: KeptImages, { begin, stateOf }: RunState, path: string): void {
  for (let row = 0; row < begin.input.rows; row += 1) {
    const state = stateOf(row);
    if (!untouched.has(state) && state !== 'failed' && !images.has(row)) throw damaged(path, `nothing of row ${row + 1}`);
  }
}

/**
 * Yields the links that a shortening created. A link is proven if its hash was generated here or by the server, or if no link had the hash
 * when it was read right before. The watermark decides on all others, because an equal link may have existed before.
 */
async function* newLinks(run: RecordedRun): AsyncGenerator<readonly DoneChange[]> {
  const { begin, mark } = run.state;
  const { mode, options, undoes } = begin;
  const isOwn = undoes !== undefined || mode === 'checked' || mode === 'dedupe' || (options.generateHashes === true && !mark);
  const free = isOwn ? new Set<number>() : await freeBefore(run.images);
  yield* possibleCreations(run);
  yield* createdLinks(run, { isProven: (row) => isOwn || free.has(row), isNew: () => true });
}

/** Returns the rows whose hashes had no link. */
async function freeBefore(images: KeptImages): Promise<ReadonlySet<number>> {
  const rows = new Set<number>();
  for await (const some of images.backwards()) for (const { row, record } of some) if (record === null) rows.add(row);
  return rows;
}

interface CreatedRows {
  /** The link of a row that reported a new link did not exist before. */
  isProven(row: number): boolean;
  /** A row that was not applied as requested may have created a link. */
  isNew(row: number): boolean;
}

/** Yields the links that a run may have created under generated hashes, those that it reported as created, and those that failed partly. */
async function* createdLinks({ record, state }: RecordedRun, kinds: CreatedRows): AsyncGenerator<readonly DoneChange[]> {
  const { begin, locationOf, keys, stateOf } = state;
  const path = record.journal;
  // With images, `possibleCreations` finds these rows.
  const inDoubt = begin.undo ? [] : [...keys].filter(([row]) => isInDoubt(stateOf(row)));
  yield inDoubt.map(([row, hash]) => createdLink(row, { hash, domain: begin.domain }, undefined, true));
  const locations: LineLocation[] = [];
  for await (const { line, ...location } of readJournal(path)) if (line.type === 'result') locations.push(location);
  let nth = locations.length;
  for await (const line of linesBackwards(path, 'result', locations)) {
    nth -= 1;
    const offset = locations[nth]?.offset;
    // The idempotency probe sends the first rows of a keyed run twice: the later line counts.
    const isLatest = (row: number): boolean => locationOf(row).offset === offset;
    yield createdOf({ ...line, domain: line.domain ?? begin.domain }, isLatest, kinds);
  }
}

function createdOf(line: ResultLine, isLatest: (row: number) => boolean, { isProven, isNew }: CreatedRows): DoneChange[] {
  const links = linksOf(line);
  const values = valuePrints(line.values, links.length);
  const created: DoneChange[] = [];
  for (const [row, { status, nth, url, perhapsNew }] of resultsOf(line)) {
    if (!url || !isLatest(row)) continue;
    const answered = answeredDomain(url);
    const { domain = answered } = line;
    const link = { hash: url.hash, domain };
    const isCertain = !perhapsNew && isProven(row);
    const mayBeOld = perhapsNew && status !== 'created';
    // A run creates links on its own domain, while with `--dedupe account` it also gets existing ones of others.
    if (mayBeOld && domain !== undefined && answered !== undefined && !isSameDomain(domain, answered)) continue;
    if (status === 'failed') {
      if (isOfRow(url) && isNew(row)) created.push({ ...createdLink(row, link, {}, isCertain), isUnlike: true, mayBeOld });
    } else if (status === 'created' || perhapsNew) {
      const made = { long_url: links[nth]?.print, ...values[nth] };
      created.push({ ...createdLink(row, link, made, isCertain), mayBeOld });
    }
  }
  return created.reverse();
}

function createdLink(row: number, link: LinkKey, made: LinkPrints | undefined, isProven: boolean): DoneChange {
  return { row, link, asked: {}, before: undefined, made, isProven, isCertain: made !== undefined, isOpen: made === undefined };
}
