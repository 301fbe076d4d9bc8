import { type CliError, LocalError, UsageError } from '../../base/errors.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { canAsk } from '../../cli/prompt.ts';
import { connect } from '../../cli/session.ts';
import { apiAddresses, refuseExposed } from '../../profiles/account-values.ts';

/**
 * Finds the base URL of the API. A bare host is tried with the usual API roots. On a terminal a full URL is checked too, before the user
 * types a key. Sends no credentials. Throws a CliError if there is no API.
 */
export async function findApi(text: string, exposes: boolean, invocation: Invocation): Promise<string> {
  const addresses = apiAddresses(text);
  const [only] = addresses;
  if (only === undefined) throw new UsageError('--base-url: expected a host or a URL such as https://s.example/tiny/api/3');
  refuseExposed(only, exposes, new URL(only).origin);
  if (addresses.length === 1 && !canAsk(invocation)) return only;
  const failures: CliError[] = [];
  for (const address of addresses) {
    const failure = await failureAt(address, invocation);
    // A proxy in front of the API may require credentials; the login shows whether they work.
    if (!failure || (addresses.length === 1 && failure.kind === 'auth')) return address;
    failures.push(failure);
  }
  const [first] = failures;
  if (first && failures.length === 1) throw first;
  throw new LocalError(`no API at ${addresses.join(' or ')}`, {
    details: failures.map(({ message }) => message),
    hint: 'give the whole base URL, with its path: --base-url https://...',
  });
}

/** The API refuses a call without credentials with an error code; any other answer is a failure. Throws if there is no answer. */
async function failureAt(baseUrl: string, invocation: Invocation): Promise<CliError | undefined> {
  const client = connect({ edition: 'a', baseUrl, username: '', keySource: 'nowhere', retries: 0 }, invocation);
  const { failure } = await client.sendRaw({ method: 'GET', path: '/account' });
  if (!failure) return undefined;
  // A wrong base URL can be that of another call, with the same envelope.
  return failure.apiCode === undefined || failure.kind === 'local' ? failure : undefined;
}
