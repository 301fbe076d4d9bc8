import { readFile } from 'node:fs/promises';
import { CliError, LocalError, messageOf, UnavailableError } from '../../base/errors.ts';
import { cannot, errorCode, fileError } from '../../files/file-error.ts';
import { quantity } from '../../output/quantity.ts';
import {
  AddressConflict,
  defaultPort,
  diskHint,
  ImportRefusal,
  MonitorFailure,
  type RunningService,
  StoreFailure,
  startService,
  UnstoredClicks,
} from '../../service/service.ts';
import type { Certificate, ServiceOptions } from '../../service/service-options.ts';
import type { CertificateFiles } from './service-settings.ts';

/** Never picks another free port, because short URLs contain the port. */
export async function start(options: ServiceOptions): Promise<RunningService> {
  try {
    return await startService(options);
  } catch (error) {
    throw startFailure(error, options);
  }
}

/** Throws `LocalError` or `UnavailableError` if not everything is stored. */
export async function close(service: RunningService, options: ServiceOptions): Promise<void> {
  try {
    await service.close();
  } catch (error) {
    const [lost, cause] =
      error instanceof UnstoredClicks ? [quantity(error.clicks, 'click'), error.cause] : ['the last counts', error];
    const message = `${lost} could not be stored`;
    if (options.store) throw new UnavailableError(`${message}: ${messageOf(cause)}`, { cause });
    throw fileError(`store ${lost} in`, options.data ?? '', cause);
  }
}

const addressFaults: { readonly [code: string]: string } = {
  EADDRINUSE: 'the port is already in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EAI_AGAIN: 'the name cannot be resolved',
  ENOTFOUND: 'the name does not exist',
};

function startFailure(error: unknown, options: ServiceOptions): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof AddressConflict) {
    return new LocalError(error.message, {
      cause: error,
      hint: 'give all processes the same --public-url and --domain, or stop the other one; if it was killed, wait half a minute',
    });
  }
  if (error instanceof ImportRefusal) return new LocalError(`cannot import: ${error.message}`, { cause: error });
  if (error instanceof StoreFailure) return new UnavailableError(`cannot use the database: ${error.message}`, { cause: error });
  const { host = '', port = defaultPort, metricsHost = '127.0.0.1', metricsPort = 0, data = '' } = options;
  if (error instanceof MonitorFailure)
    return listenFailure(error.cause, { host: metricsHost, port: metricsPort, flags: '--metrics-' });
  if ((error as NodeJS.ErrnoException).syscall !== 'listen' && !Object.hasOwn(addressFaults, errorCode(error) ?? ''))
    return fileError('use the data folder', data, error, diskHint(error, 'set --data'));
  return listenFailure(error, { host, port, flags: '--' });
}

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The beginning of the flags for host and port. */
  readonly flags: '--' | '--metrics-';
}

function listenFailure(error: unknown, { host, port, flags }: ListenAddress): LocalError {
  const code = errorCode(error) ?? '';
  const hint = portHint(code, port, `${flags}port`);
  const flag = flags === '--' ? '' : `${flags}${hint === undefined ? 'host' : 'port'}: `;
  const reason = addressFaults[code] ?? (code === 'EACCES' ? 'permission denied' : code);
  return new LocalError(`${flag}cannot listen on ${host} port ${port}: ${reason}`, { cause: error, hint });
}

function portHint(code: string, port: number, flag: string): string | undefined {
  if (code === 'EADDRINUSE') return `stop the other program, or add ${flag} ${port < 65_535 ? port + 1 : defaultPort}`;
  return code === 'EACCES' ? `for a port above 1023, add ${flag} ${defaultPort}` : undefined;
}

/** Throws `LocalError`, also if certificate and key do not belong together. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(cannot('read', path));
  const certificate = { cert: await read(files.cert), key: await read(files.key) };
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new LocalError(`cannot use the certificate ${files.cert} with the key ${files.key}: ${messageOf(error)}`, {
      cause: error,
      hint: 'use PEM files: the certificate with its chain, and its key without a passphrase',
    });
  }
  return certificate;
}
