import type { RunInput } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import type { LinkDomains, LinkKey } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { RowsReport } from '../../output/report.ts';
import { type NamedChange, same } from '../change.ts';
import { outcomeOf } from './outcome.ts';
import { plannedLinks, planReport } from './report.ts';
import { namedRequests } from './requests.ts';

/** What the change would do to a link. */
export function outcomes({ fields = {}, verb }: NamedChange) {
  return (_: LinkKey, record: UrlRecord | undefined) => outcomeOf(verb === 'change' ? fields : verb, record);
}

/** Links as they are listed, and as rows of a run. */
interface PlannedTargets {
  readonly input: Pick<RunInput<LinkKey>, 'open'>;
  readonly targets: Iterable<readonly LinkKey[]> | AsyncIterable<readonly LinkKey[]>;
  /** Links that are read in one call. */
  readonly batchSize: number;
  readonly domains: LinkDomains;
  readonly isTyped: boolean;
}

/** The links that the change would affect, and what it would do to each. */
export function planOf(
  change: NamedChange,
  { input, targets, batchSize, domains, isTyped }: PlannedTargets,
  session: Session,
): RowsReport {
  const links = plannedLinks(targets, outcomes(change), { client: session.client, batchSize });
  const requests = namedRequests({ ...change, input, payload: same, isTyped }, session);
  return planReport({ links, requests, verb: change.verb, domains }, session);
}
