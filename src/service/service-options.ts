import { type Edition, editions } from '../contract/editions.ts';
import type { Network } from './client-address.ts';
import { normalizeDomain, splitPort } from './hosts.ts';
import type { Certificate } from './listener.ts';
import type { Exchange } from './message.ts';
import { type AccountSettings, type ServiceLimits, type ServiceSettings, unlimited } from './resolved-settings.ts';
import type { Place } from './store/postgres/database-url.ts';
import type { Imported } from './store/postgres/import.ts';
import type { DomainSettings } from './store/store.ts';

/** HTTP statuses of a redirect. */
export const redirectCodes = ['301', '302', '303', '307', '308'] as const;
export type RedirectCode = (typeof redirectCodes)[number];

export type { Imported } from './store/postgres/import.ts';

interface ImportOptions {
  /** The folder of a SQLite store that is moved to the database first (S6). */
  readonly importFrom?: string | undefined;
  readonly onImported?: ((imported: Imported) => void) | undefined;
}

export interface ServiceOptions {
  readonly edition: Edition;
  /** The directory that keeps the data, made where missing; in memory without it. */
  readonly data?: string | undefined;
  /** The PostgreSQL database that keeps the data instead (S1). */
  readonly store?: (Place & ImportOptions) | undefined;
  /** `127.0.0.1` by default. */
  readonly host?: string | undefined;
  /** Any free one by default. */
  readonly port?: number | undefined;
  /**
   * The account's domains, the default one first; Unicode or ASCII, with the port that this process shows in their links where they need
   * one. Stored ones that are not named stay usable. Without any: the stored ones, or `localhost`.
   */
  readonly domains?: readonly DomainSettings[] | undefined;
  /** The scheme and the redirect code of all domains (V4); as each has them without these. With a certificate the scheme is https. */
  readonly useHttps?: boolean | undefined;
  readonly redirectCode?: RedirectCode | undefined;
  /** Where visitors of unknown links, and of those that are over, are sent instead of being told 404 or 410. */
  readonly notFoundUrl?: string | undefined;
  /** The port in short URLs of `localhost`: that on which they work. Its own: that on which this process listens. */
  readonly linksPort?: number | 'own' | undefined;
  /** What short URLs begin with, where a proxy is in front: processes on the same links must agree. */
  readonly publicUrl?: string | undefined;
  readonly username: string;
  /** One, or all that are valid. */
  readonly apiKey: string | readonly string[];
  readonly limits?: Partial<ServiceLimits> | undefined;
  readonly account?: Partial<AccountSettings> | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  readonly random?: ((size: number) => Uint8Array) | undefined;
  /** Whether `GET /<hash>` redirects; without it, only the API is served. */
  readonly redirects: boolean;
  /** HTTPS instead of HTTP. */
  readonly certificate?: Certificate | undefined;
  /** Proxies whose `X-Forwarded-For` names the visitor. */
  readonly trustedProxies?: readonly Network[] | undefined;
  /** Origins whose pages may use the API in a browser. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Serves health and figures on this port, over HTTP; 0 is any free one. */
  readonly metricsPort?: number | undefined;
  /** Where it listens for that; `127.0.0.1` by default. */
  readonly metricsHost?: string | undefined;
  /** Days after which a visitor is forgotten, and counts as a new one; for ever without it. */
  readonly visitorDays?: number | undefined;
  /** Called for each request when it is answered, but not for those of health and figures. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Called for failures that nobody foresaw; their calls are answered with 101. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** Every setting, by option or default. */
export function serviceSettings(options: ServiceOptions, ports: ReadonlyMap<string, string>): ServiceSettings {
  const { edition, username, apiKey, limits = {}, account = {} } = options;
  return {
    edition,
    credentials: { username, apiKeys: [apiKey].flat() },
    limits: {
      groupBound: limits.groupBound ?? editions[edition].groupBound,
      urls: limits.urls ?? unlimited,
      monthUrls: limits.monthUrls ?? unlimited,
      callsPerDay: limits.callsPerDay ?? unlimited,
      // 8 MiB.
      bodyBytes: limits.bodyBytes ?? 8 * 1024 * 1024,
    },
    account: {
      active: account.active ?? true,
      expirationDate: account.expirationDate ?? '9999-12-31 23:59:59',
      plan: account.plan ?? 'local',
    },
    ports,
    useHttps: options.useHttps ?? (options.certificate && true),
    redirectCode: options.redirectCode,
    notFoundUrl: options.notFoundUrl,
    allowedOrigins: options.allowedOrigins ?? [],
    now: options.now ?? Date.now,
  };
}

/** A domain in ASCII, and its port. Throws for what cannot be one. */
export function readDomain(settings: DomainSettings): DomainSettings & { readonly port: string } {
  const domain = normalizeDomain(settings.name);
  if (domain === undefined) throw new Error(`${JSON.stringify(settings.name)} is not a domain name`);
  if (settings.redirectCode !== undefined && !redirectCodes.some((code) => code === settings.redirectCode)) {
    throw new Error(`redirect code ${settings.redirectCode}: use one of ${redirectCodes.join(', ')}`);
  }
  return { ...settings, ...splitPort(domain) };
}
