import { messageOf } from '../base/errors.ts';
import { dataVariable, folders } from '../base/system.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { fileError } from '../files/file-error.ts';
import { makePrivateFolder } from '../files/folders.ts';
import type { ApiKey } from '../profiles/key-source.ts';
import type { Credentials } from '../profiles/resolved-credentials.ts';
import type { Invocation } from './invocation.ts';

/** Opens the service in this process, without a port and with a temporary key, and returns its account. Its data is kept. */
export async function sandboxAccount(
  { edition, profile, settings }: Pick<Credentials, 'edition' | 'profile' | 'settings'>,
  { system, warn, atEnd }: Invocation,
) {
  const { defaultPort, diskHint, openService } = await import('../service/open-service.ts');
  const username = 'sandbox';
  const apiKey = Buffer.from(system.randomBytes(24)).toString('base64url');
  const { data } = folders(system);
  makePrivateFolder(data);
  const unusable = (error: unknown): Error =>
    fileError('use the data folder', data, error, diskHint(error, `set ${dataVariable(system)}`));
  const cannotUse = (error: unknown): never => {
    throw unusable(error);
  };
  const service = await openService({
    edition,
    data,
    username,
    apiKey,
    redirects: false,
    // `linkctl serve` uses this port, so that short URLs work there.
    linksPort: defaultPort,
    now: system.now,
    random: (size) => system.randomBytes(size),
    onFailure: (error) => void warn(`sandbox error: ${messageOf(error)}`),
  }).catch(cannotUse);
  // What was asked for is done; only the number of calls may be lost.
  atEnd(() => service.close().catch((error: unknown) => warn(unusable(error).message)));
  await service.begin().catch(cannotUse);
  const answer: ClientOptions['answer'] = ({ method, path, headers, body = '' }) =>
    service.answer({ method, target: path, headers, body: Buffer.from(body) });
  return {
    edition,
    // Names the account in the records of runs.
    baseUrl: 'http://127.0.0.1:0/api/3',
    answer,
    server: `sandbox, edition ${edition}`,
    username,
    profile,
    keySource: 'the sandbox',
    methodOverride: settings.method_override ?? undefined,
    readKey: async (): Promise<ApiKey> => ({ value: apiKey, warnings: [] }),
  };
}
