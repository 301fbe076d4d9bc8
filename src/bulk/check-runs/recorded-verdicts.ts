import { Destinations, type LinkList } from '../../check/destinations.ts';
import type { Verdict } from '../../check/verdict.ts';
import type { Journal } from '../journal/journal.ts';
import { isSettled, type RunState } from '../journal/journal-state.ts';
import { type LineFile, type LineLocation, lineFile } from '../journal/line-reader.ts';
import { rangesOf } from '../journal/lines.ts';
import type { FoundRun } from '../run-plan.ts';
import type { CheckPlan } from './check-results.ts';

/** Locates the verdict of each destination in the journal. Needs 12 bytes per link; the verdicts stay on disk. */
export class RecordedVerdicts {
  readonly #file: LineFile;
  readonly #state: RunState;
  readonly #offsets: Float64Array;
  readonly #lengths: Uint32Array;

  constructor(path: string, state: RunState, count: number) {
    this.#file = lineFile(path);
    this.#state = state;
    this.#offsets = new Float64Array(count);
    this.#lengths = new Uint32Array(count);
  }

  add(destination: number, { offset, length }: LineLocation): void {
    this.#offsets[destination] = offset;
    this.#lengths[destination] = length;
  }

  has(destination: number): boolean {
    return this.#lengths[destination] !== 0 || isSettled(this.#state.stateOf(destination));
  }

  async read(destination: number): Promise<Verdict | undefined> {
    if (!this.has(destination)) return undefined;
    const length = this.#lengths[destination] ?? 0;
    const own = { offset: this.#offsets[destination] ?? 0, length };
    const { verdict } = await this.#file.read('checked', length === 0 ? this.#state.locationOf(destination) : own);
    return verdict;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Maximum number of rows yielded together, and of lines written together. */
export const groupSize = 200;

/** Copies the verdicts of an unfinished check into its new journal, by destination, since links may have changed or been deleted. */
export async function copyVerdicts(
  { record, state }: Pick<FoundRun, 'record' | 'state'>,
  plan: Pick<CheckPlan, 'settings' | 'shortUrls' | 'readLinks'> & { readonly links: LinkList },
  journal: Journal,
): Promise<void> {
  const { links, settings, shortUrls } = plan;
  const earlier = await plan.readLinks(record.input);
  const destinations = new Destinations(joined(links, earlier), { refusal: settings.refusal, shortUrls }, () => true);
  const verdicts = new RecordedVerdicts(record.journal, state, 0);
  const isCopied = new Uint8Array(links.count);
  let written: Promise<void>[] = [];
  try {
    for (let row = 0; row < earlier.count; row += 1) {
      const destination = destinations.of(links.count + row);
      if (!isSettled(state.stateOf(row)) || destination >= links.count || isCopied[destination]) continue;
      // The verdict on a short URL depends on the expected destination.
      if (shortUrls && links.at(destination).long_url !== earlier.at(row).long_url) continue;
      const verdict = await verdicts.read(row);
      if (!verdict) continue;
      isCopied[destination] = 1;
      const known = destinations.linksOf(destination).filter((link) => link < links.count);
      written.push(journal.write({ type: 'checked', rows: rangesOf(known.map((index) => ({ index }))), verdict }));
      if (written.length < groupSize) continue;
      await Promise.all(written);
      written = [];
    }
    await Promise.all(written);
  } finally {
    await verdicts.close();
  }
}

function joined(first: LinkList, second: LinkList): LinkList {
  return {
    count: first.count + second.count,
    at: (index) => (index < first.count ? first.at(index) : second.at(index - first.count)),
    *all() {
      yield* first.all();
      yield* second.all();
    },
  };
}
