import { canonicalUrl } from '../../link/value.ts';
import { freeRecords, freeRows, give, longUrlOf } from './answer-items.ts';
import type { Shortening } from './matching.ts';

/** With duplicate control the first record of a row's long URL is its answer; more of them are that row's too. */
export function takeShared(work: Shortening): void {
  for (const form of [(text: string) => text, canonicalUrl]) {
    const rows = freeRows(work);
    const items = freeRecords(work);
    if (rows.length === 0) return;
    const first = new Map<string, number>();
    for (const [index, item] of work.items.entries()) {
      const url = item?.kind === 'record' ? form(longUrlOf(item) ?? '') : undefined;
      if (url !== undefined && !first.has(url)) first.set(url, index);
    }
    const served = new Set<string>();
    for (const row of rows) {
      const url = form(work.sent[row]?.long_url ?? '');
      const index = first.get(url);
      if (index === undefined) continue;
      give(work, row, index, 'long_url');
      served.add(url);
    }
    for (const index of items) if (served.has(form(longUrlOf(work.items[index]) ?? ''))) work.rowOf[index] ??= -1;
  }
}
