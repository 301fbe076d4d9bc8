import type { Absence, Subject } from '../subject.ts';

/** The account is on every server (4.2), so the base URL is wrong. */
export function noApi({ identity }: Pick<Subject, 'identity'>): Absence {
  return {
    message: `the API is not at ${identity.baseUrl}`,
    hint: 'check the base URL and its path, such as https://s.example/tiny/api/3',
  };
}

export function noResource({ path, identity: { baseUrl } }: Pick<Subject, 'path' | 'identity'>): Absence {
  return {
    message: `the server has no resource ${path}`,
    hint: `check the base URL ${baseUrl} and the edition: linkctl config list`,
  };
}

/** A call that names no links cannot miss one: another call answers at this base URL. */
export function namesLinks({ method, path, hash, hashes, expression }: Subject): boolean {
  return method !== 'GET' || path.lastIndexOf('/') > 0 || [hash, hashes, expression].some((name) => name !== undefined);
}
