import { DuplicateCandidateSearch, type DuplicateCandidates } from '../../base/duplicate-candidates.ts';
import { linkText } from '../../contract/link.ts';
import type { Notices } from '../notices.ts';
import { type InputRow, namedOnLine } from '../row.ts';

/**
 * Finds hashes that occur in two rows: hashes in a request must be distinct, or an answer could not be matched to its row. Custom hashes
 * that differ only in case are refused, too, unless they are allowed or come from a listing, which proves that the server distinguishes
 * them. Hashes of edited links exist, so they may differ only in case.
 */
export class DuplicateSearch {
  readonly #named = new DuplicateCandidateSearch();
  readonly #custom = new DuplicateCandidateSearch();

  add({ item }: InputRow): void {
    if ('hash' in item) this.#named.add(linkText(item).toLowerCase());
    if (item.custom_hash !== undefined) this.#custom.add(newUrl(item).toLowerCase());
  }

  /** Rereads the rows if there may be duplicates, and reports those that repeat a hash. */
  async confirm(
    open: () => AsyncIterable<readonly InputRow[]>,
    problem: Notices['problem'],
    allowCaseDuplicates = false,
  ): Promise<void> {
    const candidates = { named: this.#named.candidates(), custom: this.#custom.candidates() };
    if (candidates.named.count + candidates.custom.count === 0) return;
    const repeatedName = repetitions('hash', candidates.named);
    const repeatedCustom = repetitions('custom_hash', candidates.custom);
    for await (const rows of open()) {
      for (const row of rows) {
        const { line, nth, item, listed, skip } = row;
        if (skip !== undefined) continue;
        const reason =
          ('hash' in item ? repeatedName(linkText(item), row, true) : undefined) ??
          (item.custom_hash ? repeatedCustom(newUrl(item), row, listed || allowCaseDuplicates) : undefined);
        if (reason) problem({ line, reason: namedOnLine(nth) + reason });
      }
    }
  }
}

/** Renamed URLs on two domains may get the same hash. */
function newUrl(item: InputRow['item']): string {
  const { custom_hash = '' } = item;
  return 'hash' in item ? linkText({ hash: custom_hash, domain: item.domain }) : custom_hash;
}

type RowPosition = Pick<InputRow, 'line' | 'nth'>;

/** Returns a function that takes the hashes in order and returns the reason to refuse one. */
function repetitions(
  name: string,
  candidates: DuplicateCandidates,
): (hash: string, position: RowPosition, anyCase: boolean) => string | undefined {
  const first = new Map<string, RowPosition>();
  const firstFolded = new Map<string, RowPosition>();
  return (hash, position, anyCase) => {
    const folded = hash.toLowerCase();
    if (!candidates.has(folded)) return undefined;
    const same = first.get(hash);
    const similar = firstFolded.get(folded);
    if (same === undefined) first.set(hash, position);
    if (similar === undefined) firstFolded.set(folded, position);
    if (same !== undefined) return `${name}: ${JSON.stringify(hash)} is already ${positionText(same, position)}`;
    if (similar === undefined || anyCase) return undefined;
    return `${name}: ${JSON.stringify(hash)} differs only in case from the one ${positionText(similar, position)}`;
  };
}

function positionText({ line, nth = 1 }: RowPosition, from: RowPosition): string {
  return line === from.line ? `in object ${nth}` : `on line ${line}`;
}
