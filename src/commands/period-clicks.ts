import { LocalError } from '../base/errors.ts';
import type { Session } from '../cli/session.ts';
import type { Clicks, Span } from '../history/clicks.ts';

/** The clicks of the account in a time, for whatever shows them. Throws a `NotFoundError` (exit 5) where no reading is old enough. */
export async function periodClicks(_span: Span, _session: Session): Promise<Clicks> {
  throw new LocalError('there is no history yet');
}
