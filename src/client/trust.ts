import { readFile } from 'node:fs/promises';
import { AuthError, LocalError } from '../base/errors.ts';
import { cannot } from '../files/file-error.ts';
import type { TransportOptions } from './http/transport.ts';

/** Options of `node:tls`. Verification cannot be disabled. */
export interface Trust {
  readonly minVersion: 'TLSv1.2';
  readonly rejectUnauthorized: true;
  /** PEM. By default Node's certificates, with NODE_EXTRA_CA_CERTS. */
  readonly ca?: readonly string[];
}

/** Throws `AuthError` if the environment disables verification: the key would go to an unknown server. */
export async function trustFor({ origin, caFile, env }: Pick<TransportOptions, 'origin' | 'caFile' | 'env'>): Promise<Trust> {
  const trust: Trust = { minVersion: 'TLSv1.2', rejectUnauthorized: true };
  if (origin.protocol !== 'https:') return trust;
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw new AuthError(
      `the API key is not sent to ${origin.host}: NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate verification`,
      {
        hint: 'unset NODE_TLS_REJECT_UNAUTHORIZED; to trust your own certificate, use --ca-file',
      },
    );
  }
  if (!caFile) return trust;
  const own = await certificatesIn(caFile);
  const { rootCertificates } = await import('node:tls');
  // A custom list replaces Node's roots and NODE_EXTRA_CA_CERTS, so it must contain them.
  return { ...trust, ca: [...rootCertificates, ...(await extraCertificates(env.NODE_EXTRA_CA_CERTS)), own] };
}

/** Throws a LocalError if the file cannot be read or has no certificate. */
export async function certificatesIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(cannot('read the CA file', file));
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new LocalError(`${file} contains no PEM certificate`);
  const { X509Certificate } = await import('node:crypto');
  try {
    new X509Certificate(text);
  } catch (cause) {
    throw new LocalError(`${file} contains an unreadable certificate`, { cause });
  }
  return text;
}

/** If the file cannot be read, Node prints a warning and continues. */
async function extraCertificates(file: string | undefined): Promise<string[]> {
  if (!file) return [];
  return readFile(file, 'utf8').then(
    (text) => [text],
    () => [],
  );
}
