import type { WireFailure } from './http/transport.ts';

interface Failure {
  readonly code: string;
  readonly message: string;
}

type Words = Pick<WireFailure, 'message' | 'hint' | 'nature' | 'cause'>;

/** No tunnel through the proxy, whose host is named without its credentials. */
export class ProxyFailure extends Error {
  readonly host: string;
  /** undici sends a password only with a user name. */
  readonly hasPassword: boolean;
  /** Undefined without an answer of the proxy. */
  readonly status: number | undefined;

  constructor({ host, username, password }: URL, { status, cause }: { readonly status?: number; readonly cause?: unknown }) {
    super(`no tunnel through ${host}`, { cause });
    this.host = host;
    this.hasPassword = username !== '' && password !== '';
    this.status = status;
  }
}

export function failureOf(error: unknown, host: string): Words {
  if (!(error instanceof ProxyFailure)) return { ...wordsFor(firstCause(error), host), cause: error };
  const words = error.status ? proxyRefusal(error.status, error) : wordsFor(firstCause(error), `the proxy ${error.host}`);
  return { ...words, cause: error };
}

/** OpenSSL codes; a retry does not help. */
const certificateReasons: { readonly [code: string]: string } = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not yet valid',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its issuer is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  HOSTNAME_MISMATCH: 'it is for another host',
};

const passing: { readonly [code: string]: (host: string) => string } = {
  ECONNREFUSED: (host) => `connection refused by ${host}`,
  EHOSTUNREACH: (host) => `cannot reach ${host}`,
  ENETUNREACH: (host) => `cannot reach ${host}`,
  ENETDOWN: (host) => `cannot reach ${host}`,
  ETIMEDOUT: (host) => `no connection to ${host}`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `no connection to ${host}`,
  ECONNRESET: (host) => `${host} closed the connection before the response was complete`,
  EPIPE: (host) => `${host} closed the connection before the response was complete`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before the response was complete`,
};

function wordsFor({ code, message }: Failure, host: string): Words {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { message: `cannot resolve ${host}`, nature: 'unresolved' };
  const certificate = certificateReasons[code];
  if (certificate) {
    return {
      message: `the certificate of ${host} is not trusted: ${certificate}`,
      nature: 'lasting',
      hint:
        certificate.includes('issuer') || code.includes('SELF_SIGNED')
          ? 'if you trust its issuer: --ca-file <pem file>'
          : undefined,
    };
  }
  if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code)) {
    return {
      message: `TLS with ${host} failed: ${tlsReason(message)}`,
      nature: 'lasting',
      hint: 'check the scheme of its URL',
    };
  }
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return { message: `the response headers of ${host} are larger than 16 KiB`, nature: 'lasting' };
  }
  // undici asserts what it expects of a status such as 099.
  if (code.startsWith('HPE_') || code === 'ERR_ASSERTION')
    return { message: `invalid HTTP response from ${host}`, nature: 'passing' };
  return { message: passing[code]?.(host) ?? `no response from ${host}: ${message}`, nature: 'passing' };
}

function proxyRefusal(status: number, { hasPassword }: ProxyFailure): Words {
  const demand = hasPassword ? 'the proxy rejected the user name or password' : 'the proxy asks for a password';
  const message = status === 407 ? demand : 'the proxy refused the connection';
  return { message: `${message} (HTTP ${status})`, nature: status >= 400 && status < 500 ? 'lasting' : 'passing' };
}

/** `…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/…` → `wrong version number`. */
function tlsReason(message: string): string {
  return /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.split('\n')[0] ?? message;
}

/** Finds the most informative error: each address has its own error, and libraries wrap those of sockets. */
function firstCause(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // undici does not always give parser errors a code.
  if (code === '' && error.name === 'HTTPParserError') return { code: 'HPE_', message: error.message };
  if (error instanceof AggregateError && error.errors.length > 0 && (!code || !error.message)) {
    return firstCause(error.errors[0]);
  }
  const wrapped = code === '' || code === 'UND_ERR_ABORTED' || code === 'UND_ERR_PRX_TLS' ? error.cause : undefined;
  return wrapped instanceof Error ? firstCause(wrapped) : { code, message: error.message };
}
