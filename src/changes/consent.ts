import { type Context, whereabouts } from '../action.ts';
import type { UrlRecord } from '../contract/records.ts';
import { UsageError } from '../errors.ts';
import { canAsk, confirm, confirmCount } from '../prompt.ts';
import type { Session } from '../session.ts';

/** URLs that a change is about to touch. */
export interface Affected {
  readonly count: number;
  /** The records of the first of them, as far as they were read for the question. */
  readonly first: readonly UrlRecord[];
}

/** `--max-affected` stops a change that is larger than its author believes, before anything is sent (B57). */
export function refuseTooMany(count: number, { global: { maxAffected } }: Context): void {
  if (maxAffected === undefined || count <= maxAffected) return;
  throw new UsageError(`${count} URLs would be affected, more than --max-affected ${maxAffected}; nothing was changed`);
}

/** Asks before URLs that were named are changed for good (B56): one is shown, of several the first five. */
export async function consentToNamed(
  verb: string,
  read: () => Promise<Affected>,
  session: Session,
  context: Context,
): Promise<void> {
  if (context.global.yes) return;
  // Nothing is read for a question that cannot be asked.
  if (!canAsk(context)) return await confirm('', context);
  const { count, first } = await read();
  const [only] = first;
  if (count === 1 && only) return await confirm(`${verb} ${describe(only, session)}?`, context);
  for (const record of first) await context.streams.tell(`  ${describe(record, session)}`);
  const more = count > first.length && first.length > 0 ? ` (and ${count - first.length} more)` : '';
  await confirm(`${verb} ${count} ${count === 1 ? 'URL' : 'URLs'}${more} of ${whereabouts(session)}?`, context);
}

/** Asks before all that a tag expression selects is changed: the count is to be typed (B56); off a terminal flags must say it (B57). */
export async function consentToSelected(
  verb: string,
  { count, first }: Affected,
  session: Session,
  context: Context,
): Promise<void> {
  const { global, streams } = context;
  if (global.yes && !canAsk(context) && global.maxAffected === undefined) {
    throw new UsageError('--max-affected required with --by-tags when not running interactively');
  }
  if (global.yes) return;
  if (canAsk(context)) for (const record of first) await streams.tell(`  ${describe(record, session)}`);
  const place = whereabouts({ ...session, domain: undefined });
  await confirmCount(`${verb} ${count} ${count === 1 ? 'URL' : 'URLs'} of ${place}, on all its domains?`, count, context);
}

/** `s.ex/abc -> https://… (1204 clicks)`. */
function describe(record: UrlRecord, session: Session): string {
  return `${session.shortUrl(record)} -> ${record.long_url} (${record.total_clicks} clicks)`;
}
