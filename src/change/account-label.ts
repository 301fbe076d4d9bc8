import type { Session } from '../cli/session.ts';
import { enumerated, type LinkDomains } from '../contract/link.ts';

/**
 * Names the account in a question: `profile "work" on api.example.com, domain s.ex`. Links without a domain are on the working domain. The
 * sandbox has a new port each time, so it is shown without one.
 */
export function accountLabel(
  { client: { identity }, domain }: Pick<Session, 'client' | 'domain'>,
  domains: LinkDomains = [undefined],
): string {
  const { profile, username } = identity;
  const host = identity.server === identity.baseUrl ? identity.host : 'this computer';
  const account = profile === undefined ? `account "${username}"` : `profile "${profile}"`;
  const names = [...new Set(domains.map((name) => name ?? domain))].filter((name) => name !== undefined);
  if (names.length < 2) return `${account} on ${host}${names.map((name) => `, domain ${name}`).join('')}`;
  return `${account} on ${host}, domains ${enumerated(names, 'and', 3)}`;
}
