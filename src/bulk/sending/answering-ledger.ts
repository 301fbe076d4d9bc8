import type { Ledger } from '../journal/ledger.ts';

/** A ledger that says when the last of so many rows has its outcome, right before that is recorded. */
export function answeringLedger(ledger: Ledger, rows: number, answered: (() => void) | undefined): Ledger {
  if (!answered) return ledger;
  const settled = new Set<number>();
  return {
    ...ledger,
    async settled(batch, outcomes, ...rest) {
      for (const { index } of outcomes) settled.add(index);
      if (settled.size === rows) answered();
      await ledger.settled(batch, outcomes, ...rest);
    },
  };
}
