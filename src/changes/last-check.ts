import { folders, type System } from '../base/system.ts';
import { lastCheckRecord } from '../bulk/check-record.ts';
import { checkedFields } from '../bulk/results/check-results.ts';
import type { CheckedLink } from '../check/destinations.ts';
import { byStatus, type CheckStatus, isCheckStatus } from '../check/verdict.ts';
import type { Identity } from '../client/subject.ts';
import { readKeptRows } from '../input/kept-rows.ts';

/** What the last check of an account found, for reports (H3). */
export interface LastCheck {
  readonly run: string;
  /** The command as people read it: `check --by-tags promo`. */
  readonly what: string;
  /** When it began, in ISO 8601. */
  readonly at: string;
  /** Every link was asked. */
  readonly complete: boolean;
  readonly links: number;
  /** Links by what was found of them; of those that were not reached there is none. */
  readonly counts: Readonly<Record<CheckStatus, number>>;
  /** The links with one of these statuses, in the order of the listing, as rows of `check`; some at a time. */
  rows(statuses: ReadonlySet<CheckStatus>): AsyncGenerator<readonly ReturnType<typeof checkedFields>[]>;
}

/** The newest check of the account; undefined where none is recorded. Throws a LocalError where its record cannot be read. */
export async function lastCheck(
  identity: Pick<Identity, 'server' | 'username'>,
  system: Pick<System, 'env' | 'platform'>,
): Promise<LastCheck | undefined> {
  const record = await lastCheckRecord(folders(system).state, identity);
  if (!record) return undefined;
  const { run, what, at, complete, links, input } = record;
  return {
    run,
    what,
    at,
    complete,
    links,
    counts: byStatus((status) => record.counts.get(status) ?? 0),
    async *rows(statuses) {
      let index = -1;
      try {
        for await (const kept of readKeptRows<CheckedLink>(input)) {
          const found: ReturnType<typeof checkedFields>[] = [];
          for (const link of kept) {
            index += 1;
            const status = record.statusOf(index);
            if (!isCheckStatus(status) || !statuses.has(status)) continue;
            found.push(checkedFields({ link, verdict: await record.verdictOf(index) }));
          }
          if (found.length > 0) yield found;
        }
      } finally {
        await record.close();
      }
    },
  };
}
