import { type Edition, editions } from '../contract/editions.ts';
import type { Credentials } from './api/authentication.ts';
import type { Network } from './client-address.ts';
import { normalizeDomain, splitPort } from './hosts.ts';
import type { Exchange } from './message.ts';
import type { DatabaseUrl } from './store/postgres/database-url.ts';
import type { ImportOptions } from './store/postgres/import.ts';
import type { DomainSettings } from './store/store.ts';

export const redirectCodes = ['301', '302', '303', '307', '308'] as const;
export type RedirectCode = (typeof redirectCodes)[number];

export type { Imported } from './store/postgres/import.ts';

/** High enough to mean no limit. */
export const unlimited = 1_000_000_000;

/** The flags of `serve` have the same names. Bounds and quotas are configurable so that scripts can be tested against them. */
export interface ServiceLimits {
  /** Items in one group operation (1221). */
  readonly maxBatch: number;
  /** Records of the account (1220). */
  readonly maxUrls: number;
  /** Records created in a UTC month (1220). */
  readonly maxMonthUrls: number;
  /** API calls of a UTC day (1303). */
  readonly maxCallsPerDay: number;
  /** Bytes of a request body (1310). */
  readonly maxBodyBytes: number;
}

/** The state of the account (section 3). */
interface AccountSettings {
  /** An inactive account gets 1217 on every call. */
  readonly active: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, UTC. From then on the account gets 1217. */
  readonly expirationDate: string;
}

/** The options with their defaults. */
export interface ServiceSettings extends Pick<ServiceOptions, 'edition' | 'useHttps' | 'notFoundUrl'> {
  readonly redirectCode: RedirectCode;
  readonly credentials: Credentials;
  readonly limits: ServiceLimits;
  readonly account: AccountSettings;
  /** Ports in the short URLs of this process, by domain name. Other processes may serve the same domain on other ports. */
  readonly ports: ReadonlyMap<string, string>;
  readonly allowedOrigins: readonly string[];
  readonly now: () => number;
}

/** PEM; `cert` contains the whole chain. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ServiceOptions {
  readonly edition: Edition;
  /** The data folder, created if missing. Default: in memory. */
  readonly data?: string | undefined;
  /** Stores the links in PostgreSQL instead of `data`. */
  readonly store?: (DatabaseUrl & ImportOptions) | undefined;
  /** Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /**
   * The domains of the account, the default one first; Unicode or ASCII, with the port for short URLs if needed. Other stored domains stay
   * usable. Default: the stored domains, or `localhost`.
   */
  readonly domains?: readonly DomainSettings[] | undefined;
  /** The scheme of all domains. Default: that of each domain, but https with a certificate. */
  readonly useHttps?: boolean | undefined;
  /** Default: 303. */
  readonly redirectCode?: RedirectCode | undefined;
  /** Redirects visitors of unknown and expired links to this URL instead of answering 404 or 410. */
  readonly notFoundUrl?: string | undefined;
  /** The port in short URLs of `localhost`; `own` is the port of this process. */
  readonly linksPort?: number | 'own' | undefined;
  /** The beginning of short URLs behind a proxy; all processes with the same links must have the same. */
  readonly publicUrl?: string | undefined;
  readonly username: string;
  /** One key, or all valid keys. */
  readonly apiKey: string | readonly string[];
  readonly limits?: Partial<ServiceLimits> | undefined;
  readonly account?: Partial<AccountSettings> | undefined;
  /** In milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  readonly random?: ((size: number) => Uint8Array) | undefined;
  /** Serves redirects in addition to the API. */
  readonly redirects: boolean;
  /** Enables HTTPS. */
  readonly certificate?: Certificate | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly Network[] | undefined;
  /** Origins whose pages may call the API from a browser. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Serves health and metrics on this port over HTTP; 0 means any free port. */
  readonly metricsPort?: number | undefined;
  /** The address for health and metrics. Default: `127.0.0.1`. */
  readonly metricsHost?: string | undefined;
  /** Days after which a visitor is deleted and counts as a new one. Default: never. */
  readonly visitorDays?: number | undefined;
  /** Called for each answered request except those for health and metrics. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Called for unexpected errors; their calls are answered with 101. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** Applies the defaults. */
export function serviceSettings(options: ServiceOptions, ports: ReadonlyMap<string, string>): ServiceSettings {
  const { edition, username, apiKey, limits = {}, account = {} } = options;
  return {
    edition,
    credentials: { username, apiKeys: [apiKey].flat() },
    limits: {
      maxBatch: limits.maxBatch ?? editions[edition].groupBound,
      maxUrls: limits.maxUrls ?? unlimited,
      maxMonthUrls: limits.maxMonthUrls ?? unlimited,
      maxCallsPerDay: limits.maxCallsPerDay ?? unlimited,
      // 8 MiB.
      maxBodyBytes: limits.maxBodyBytes ?? 8 * 1024 * 1024,
    },
    account: {
      active: account.active ?? true,
      expirationDate: account.expirationDate ?? '9999-12-31 23:59:59',
    },
    ports,
    // A domain behind a proxy has the scheme of its public URL.
    useHttps: options.useHttps ?? (options.certificate && !options.publicUrl?.startsWith('http:') ? true : undefined),
    redirectCode: options.redirectCode ?? '303',
    notFoundUrl: options.notFoundUrl,
    allowedOrigins: options.allowedOrigins ?? [],
    now: options.now ?? Date.now,
  };
}

/** Returns the domain in ASCII and its port. Throws for an invalid name. */
export function readDomain(settings: DomainSettings): DomainSettings & { readonly port: string } {
  const domain = normalizeDomain(settings.name);
  if (domain === undefined) throw new Error(`${JSON.stringify(settings.name)} is not a domain name`);
  return { ...settings, ...splitPort(domain) };
}
