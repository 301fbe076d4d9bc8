import { CliError, LocalError, UsageError } from '../../base/errors.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { connect } from '../../cli/session.ts';
import { findEdition } from '../../client/account-domains.ts';
import type { Client } from '../../client/client.ts';
import { type Edition, editions, thisServer } from '../../contract/editions.ts';
import type { AccountRecord } from '../../contract/records.ts';
import { refuseExposed } from '../../profiles/account-values.ts';
import type { ApiKey } from '../../profiles/key-source.ts';
import type { Profile } from '../../profiles/profile.ts';

export interface Candidate {
  readonly url: string;
  readonly username: string;
  readonly key: ApiKey;
  readonly keySource: string;
  readonly name: string;
  readonly stored: Profile;
}

/** Nothing is stored before this succeeded, so that no wrong credentials are kept. Throws a CliError. */
export async function verify(
  { url, username, key, keySource, name, stored }: Candidate,
  invocation: Invocation,
): Promise<{ readonly account: AccountRecord; readonly edition: Edition }> {
  const { global } = invocation;
  refuseExposed(url, global.insecureHttp ?? stored.insecure_http ?? false);
  await invocation.warn(...key.warnings);
  const client = connect(
    {
      // Only edition A has the call that tells the editions apart.
      edition: 'a',
      baseUrl: url,
      username,
      keySource,
      usernameSource: global.username === undefined ? undefined : '--username',
      methodOverride: stored.method_override ?? undefined,
      caFile: (stored.base_url === url && stored.ca_file) || undefined,
      readKey: async () => ({ value: key.value, warnings: [] }),
    },
    invocation,
  );
  try {
    const { account } = await client.send('getAccount', {});
    const edition = await findEdition(client);
    if (global.edition && global.edition !== edition) {
      throw new LocalError(`edition ${global.edition}: this server is ${editions[edition].title}`);
    }
    await checkDomain(client, edition, global.domain?.at(-1));
    return { account, edition };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw Object.assign(error, {
      details: [...error.details, `profile "${name}" was not ${Object.keys(stored).length > 0 ? 'changed' : 'stored'}`],
    });
  }
}

/** Sends one call for the domain, so that no unknown domain is stored. */
export async function checkDomain(client: Client, edition: Edition, domain: string | undefined): Promise<void> {
  if (domain === undefined) return;
  if (edition === 'b') throw new UsageError(`--domain: ${thisServer('b')} has one domain`);
  await client.send('listUrls', { query: { domain, limit: 1 } });
}
