import { type CliError, LocalError, UsageError } from '../../base/errors.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { canAsk } from '../../cli/prompt.ts';
import { connect } from '../../cli/session.ts';
import { errorTraits } from '../../contract/errors.ts';
import { apiAddresses, exposure, isExposed } from '../../profiles/account-values.ts';

/**
 * The base URL of the API at an address (D47). Of a host alone, the roots that deployments have are tried; where questions follow, a
 * whole URL is checked, too, before anybody types a key. No credentials are sent. Throws a CliError where there is no API.
 */
export async function findApi(text: string, exposes: boolean, invocation: Invocation): Promise<string> {
  const addresses = apiAddresses(text);
  const [only] = addresses;
  if (only === undefined) throw new UsageError('--base-url: expected a host or a URL such as https://api.example.com/rest/v3');
  if (isExposed(only) && !exposes) throw exposure(new URL(only).origin);
  if (addresses.length === 1 && !canAsk(invocation)) return only;
  const failures: CliError[] = [];
  for (const address of addresses) {
    const failure = await failureAt(address, invocation);
    // At the only address, anything that asks for credentials may be the API behind a proxy: the login will show.
    if (!failure || (addresses.length === 1 && failure.kind === 'auth')) return address;
    failures.push(failure);
  }
  const [first] = failures;
  if (first && failures.length === 1) throw first;
  throw new LocalError(`no API at ${addresses.join(' or ')}`, {
    details: failures.map(({ message }) => message),
    hint: 'give the whole base URL, with its path: --base-url https://…',
  });
}

/** Why an address is not the API's: there, a call without credentials is refused by a code of the API. Throws where nothing answers. */
async function failureAt(baseUrl: string, invocation: Invocation): Promise<CliError | undefined> {
  const client = connect({ edition: 'a', baseUrl, username: '', keySource: 'nowhere', retries: 0 }, invocation);
  try {
    const { failure } = await client.sendRaw({ method: 'GET', path: '/account' });
    if (!failure) return undefined;
    // Without such a resource it is another API of the same make, at another path.
    return failure.apiCode === undefined || errorTraits(failure.apiCode).about === 'resource' ? failure : undefined;
  } finally {
    await client.close();
  }
}
