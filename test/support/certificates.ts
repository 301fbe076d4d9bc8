import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A key with its certificate, PEM. */
export interface Certified {
  readonly key: string;
  readonly cert: string;
}

export interface CertificateOptions {
  readonly hosts?: readonly string[];
  /** Signed by itself, and able to sign others, without one. */
  readonly issuer?: Certified & { readonly name: string };
  readonly notAfter?: Date;
}

/** Makes X.509 certificates for tests, so that neither keys nor dates are kept in the repository. */
export function certify(
  name: string,
  { hosts = [], issuer, notAfter = inYears(10) }: CertificateOptions = {},
): Certified & { name: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const alternatives = hosts.map((host) => tagged(0x82, Buffer.from(host, 'latin1')));
  const extensions = [
    extension('2.5.29.19', sequence(...(issuer ? [] : [boolean(true)]))),
    ...(hosts.length > 0 ? [extension('2.5.29.17', sequence(...alternatives))] : []),
  ];
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    distinguishedName(issuer?.name ?? name),
    sequence(time(inYears(-1)), time(notAfter)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signer: KeyObject = issuer ? createPrivateKey(issuer.key) : privateKey;
  const certificate = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, signer)));
  return {
    name,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}(?!$)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function inYears(years: number): Date {
  const date = new Date();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date;
}

/** DER: tag, length, content. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.of(value ? 0xff : 0));
}

function bits(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.of(0), bytes);
}

function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const digits = [part & 0x7f];
    for (let high = part >> 7; high > 0; high >>= 7) digits.unshift((high & 0x7f) | 0x80);
    return digits;
  });
  return tagged(0x06, Buffer.of(first * 40 + second, ...bytes));
}

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'));

function distinguishedName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(identifier('2.5.4.3'), tagged(0x0c, Buffer.from(name)))));
}

function time(date: Date): Buffer {
  return tagged(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
}

function extension(kind: string, content: Buffer): Buffer {
  return sequence(identifier(kind), tagged(0x04, content));
}
