import { UsageError } from '../../base/errors.ts';
import type { Identity } from '../../client/subject.ts';
import type { BeginLine } from '../journal/lines.ts';

type Account = Pick<Identity, 'server' | 'username' | 'profile'>;

/**
 * A journal says what was done on one account: on another one the same hashes are other links. `isReading`: nothing is changed, so a
 * profile whose server has moved is the same account.
 */
export function assertSameAccount(begin: BeginLine, { server, username, profile }: Account, isReading = false): void {
  if (begin.server === server && begin.account === username) return;
  if (isReading && begin.profile === profile) return;
  throw new UsageError(`run ${begin.run} belongs to ${begin.account} on ${begin.server}, not to ${username} on ${server}`, {
    hint: begin.profile ? `add --profile ${begin.profile}` : 'select its profile with --profile',
  });
}

/** True of a run that is meant where a profile is in use and no run is named. Credentials that are no profile are those of their account. */
export function isOfProfile(begin: BeginLine, { server, username, profile }: Account): boolean {
  const isSameProfile = begin.profile === undefined || profile === undefined || begin.profile === profile;
  return begin.server === server && begin.account === username && isSameProfile;
}
