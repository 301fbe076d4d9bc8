import type { Duplex } from 'node:stream';
import { messageOf } from '../base/errors.ts';
import { dataVariable, folders } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import { fileError } from '../files/file-error.ts';
import { makePrivateFolder } from '../files/folders.ts';
import type { Invocation } from './invocation.ts';

interface Sandbox {
  readonly baseUrl: string;
  connect(): Duplex;
  readonly username: string;
  readonly apiKey: string;
}

/** Starts the service in this process, without a port and with a temporary key. Its data is kept. */
export async function startSandbox(edition: Edition, { system, warn, atEnd }: Invocation): Promise<Sandbox> {
  const { diskHint, startService, defaultPort } = await import('../service/service.ts');
  const username = 'sandbox';
  const apiKey = Buffer.from(system.randomBytes(24)).toString('base64url');
  const { data } = folders(system);
  makePrivateFolder(data);
  const starting = startService({
    edition,
    data,
    username,
    apiKey,
    redirects: false,
    isPrivate: true,
    // `linkctl serve` uses this port, so that short URLs work there.
    linksPort: defaultPort,
    now: system.now,
    random: (size) => system.randomBytes(size),
    onFailure: (error) => void warn(`sandbox error: ${messageOf(error)}`),
  });
  atEnd(async () => (await starting.catch(() => undefined))?.close());
  const { baseUrl, connect } = await starting.catch((error) => {
    throw fileError('use the data folder', data, error, diskHint(error, `set ${dataVariable(system)}`));
  });
  return { baseUrl, connect, username, apiKey };
}
