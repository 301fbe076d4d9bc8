import { UsageError } from '../base/errors.ts';
import type { Identity } from '../client/subject.ts';
import type { BeginLine } from './journal/lines.ts';

/**
 * A journal says what was done on one account: on another one the same hashes are other links. `isReading`: nothing is changed, so a
 * profile whose server has moved is the same account.
 */
export function assertSameAccount(
  begin: BeginLine,
  { server, username, profile }: Pick<Identity, 'server' | 'username' | 'profile'>,
  isReading = false,
): void {
  if (begin.server === server && begin.account === username) return;
  if (isReading && begin.profile === profile) return;
  throw new UsageError(`run ${begin.run} belongs to ${begin.account} on ${begin.server}, not to ${username} on ${server}`, {
    hint: begin.profile ? `add --profile ${begin.profile}` : 'select its profile with --profile',
  });
}
