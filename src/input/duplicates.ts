import { linkText } from '../contract/link.ts';
import { DuplicateCandidateSearch, type DuplicateCandidates } from './duplicate-candidates.ts';
import type { InputUse } from './format.ts';
import type { InputRow, Notices, ReadOptions } from './row.ts';
import { rowsOf } from './rows.ts';
import type { Source } from './source.ts';

/**
 * Finds hashes that two rows of a file give (C16): every request must hold distinct ones, or an answer could not be matched to
 * its row (RELIABILITY.md 1.5).
 */
export interface DuplicateSearch {
  add(row: InputRow): void;
  /** Reads the source once more if anything may be repeated, and reports the rows that repeat a hash. */
  confirm<Use extends InputUse>(source: Source, options: ReadOptions<Use>, problem: Notices['problem']): Promise<void>;
}

/**
 * Custom hashes that differ only in case are refused as well, unless they are allowed or come from a listing, where they are
 * side by side. The hashes that an edit names exist, so they may.
 */
export function duplicateSearch(allowCaseDuplicates: boolean): DuplicateSearch {
  const named = hashSearch('hash');
  const custom = hashSearch('custom_hash');
  return {
    add({ item }) {
      if ('hash' in item) named.add(linkText(item));
      if (item.custom_hash !== undefined) custom.add(newUrl(item));
    },
    async confirm(source, options, problem) {
      if (named.close() + custom.close() === 0) return;
      for await (const rows of rowsOf(source, options, { problem: () => {}, warning: () => {} })) {
        for (const { line, item, listed } of rows) {
          const reason =
            ('hash' in item ? named.repeated(linkText(item), line, true) : undefined) ??
            (item.custom_hash ? custom.repeated(newUrl(item), line, listed || allowCaseDuplicates) : undefined);
          if (reason) problem({ line, reason });
        }
      }
    },
  };
}

/** Renamed URLs of two domains may get the same hash. */
function newUrl(item: InputRow['item']): string {
  const { custom_hash = '' } = item;
  return 'hash' in item ? linkText({ hash: custom_hash, domain: item.domain }) : custom_hash;
}

interface HashSearch {
  add(hash: string): void;
  /** After the last hash: how many have to be compared in full. */
  close(): number;
  /** Why the hash of this line is refused, on the second reading. */
  repeated(hash: string, line: number, anyCase: boolean): string | undefined;
}

function hashSearch(name: string): HashSearch {
  const search = new DuplicateCandidateSearch();
  let candidates: DuplicateCandidates | undefined;
  const firstLines = new Map<string, number>();
  const firstLinesFolded = new Map<string, number>();
  return {
    add: (hash) => search.add(hash.toLowerCase()),
    close() {
      candidates = search.candidates();
      return candidates.count;
    },
    repeated(hash, line, anyCase) {
      const folded = hash.toLowerCase();
      if (!candidates?.has(folded)) return undefined;
      const same = firstLines.get(hash);
      const similar = firstLinesFolded.get(folded);
      if (same === undefined) firstLines.set(hash, line);
      if (similar === undefined) firstLinesFolded.set(folded, line);
      if (same !== undefined) return `${name}: ${JSON.stringify(hash)} is on line ${same} already`;
      if (similar === undefined || anyCase) return undefined;
      return `${name}: ${JSON.stringify(hash)} differs only in case from the one on line ${similar}`;
    },
  };
}
