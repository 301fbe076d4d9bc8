import { readFile } from 'node:fs/promises';
import { LocalError, messageOf } from '../../base/errors.ts';
import { fileError } from '../../files/file-error.ts';
import type { Certificate } from '../../service/service-options.ts';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Throws `LocalError`, also if certificate and key do not belong together. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
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

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw fileError('read', path, error);
  }
}
