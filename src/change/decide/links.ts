import type { Session } from '../../cli/session.ts';
import { recordsOf } from '../../client/named-urls.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { SelectedLink } from '../../select/selected-links.ts';
import type { ListedChange } from '../change.ts';
import { refuseTooMany } from '../limits.ts';
import { isPlanned, type PlannedLink, type PlannedOutcome } from '../plan/outcome.ts';

/** Reads links as they are now, and decides what is to be done to each. */
export async function decidedLinks<Target extends LinkKey>(
  targets: readonly Target[],
  decide: (target: Target, record: UrlRecord | undefined) => PlannedOutcome,
  { client, batchSize }: Pick<Session, 'client'> & { readonly batchSize: number },
): Promise<PlannedLink[]> {
  const find = await recordsOf(client, targets, batchSize);
  return targets.map((target) => {
    const record = find(target);
    return { target, record, outcome: decide(target, record) };
  });
}

interface DecidedPage {
  readonly links: readonly PlannedLink[];
  /** Links read so far, those that the filter left out included. */
  readonly read: number;
}

/** Reads a selection, and decides what is to be done to each link. Throws where more would be changed than `--max-affected` allows. */
export async function* decidedPages<Payload extends LinkKey, Link extends SelectedLink>(
  { links: selected, decide }: Pick<ListedChange<Payload, Link>, 'links' | 'decide'>,
  session: Session,
): AsyncGenerator<DecidedPage> {
  let planned = 0;
  for await (const { links, read } of selected.pages()) {
    if (links.length > 0) refuseTooMany(planned, session, true);
    const decided = links.map((link) => ({ ...link, outcome: decide(link) }));
    for (const { outcome } of decided) planned += Number(isPlanned(outcome));
    yield { links: decided, read };
  }
  refuseTooMany(planned, session);
}
