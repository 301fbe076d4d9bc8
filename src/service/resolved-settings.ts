import type { Edition } from '../contract/editions.ts';
import type { Credentials } from './api/authentication.ts';

/** High enough to mean no limit. */
export const unlimited = 1_000_000_000;

/** Bounds and quotas are configurable so that scripts can be tested against them. */
export interface ServiceLimits {
  /** Items in one group operation (1221). */
  readonly groupBound: number;
  /** Records of the account (1220). */
  readonly urls: number;
  /** Records created in a UTC month (1220). */
  readonly monthUrls: number;
  /** API calls of a UTC day (1303). */
  readonly callsPerDay: number;
  /** Bytes of a request body (1310). */
  readonly bodyBytes: number;
}

/** The state of the account (section 3). */
export interface AccountSettings {
  /** An inactive account gets 1217 on every call. */
  readonly active: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, UTC. From then on the account gets 1217. */
  readonly expirationDate: string;
  readonly plan: string;
}

export interface ServiceSettings {
  readonly edition: Edition;
  readonly credentials: Credentials;
  readonly limits: ServiceLimits;
  readonly account: AccountSettings;
  /** Ports in the short URLs of this process, by domain name. Other processes may serve the same domain on other ports. */
  readonly ports: ReadonlyMap<string, string>;
  /** Overrides the scheme of all domains. */
  readonly useHttps?: boolean | undefined;
  /** Overrides the redirect status of all domains. */
  readonly redirectCode?: string | undefined;
  /** Overrides the target of all domains for unknown and expired links. */
  readonly notFoundUrl?: string | undefined;
  /** Origins whose pages may call the API from a browser. */
  readonly allowedOrigins: readonly string[];
  readonly now: () => number;
}
