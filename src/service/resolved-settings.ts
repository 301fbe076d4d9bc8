import type { Edition } from '../contract/editions.ts';
import type { Credentials } from './authentication.ts';

/** High enough to mean no limit. */
export const unlimited = 1_000_000_000;

/** Bounds and quotas, each settable, to try scripts against them. */
export interface ServiceLimits {
  /** Items in one group operation (1221); the edition's own by default. */
  readonly groupBound: number;
  /** Records held (1220). */
  readonly urls: number;
  /** Records made in a UTC month (1220). */
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
  /** `YYYY-MM-DD HH:MM:SS`, UTC; from then on the account gets 1217. */
  readonly expirationDate: string;
  readonly plan: string;
}

/** The settings of a running service. */
export interface ServiceSettings {
  readonly edition: Edition;
  readonly credentials: Credentials;
  readonly limits: ServiceLimits;
  readonly account: AccountSettings;
  /** Ports in the short URLs of this process, by the name of the domain: others may serve the same domain on another port. */
  readonly ports: ReadonlyMap<string, string>;
  /** Whether short URLs are shown with https, whatever their domain has (V4); absent: as it has. */
  readonly useHttps?: boolean | undefined;
  /** The HTTP status of redirects, whatever their domain has (V4); absent: as it has. */
  readonly redirectCode?: string | undefined;
  /** Where who follows a link that leads nowhere is sent, whatever the domain has; absent: as it has. */
  readonly notFoundUrl?: string | undefined;
  /** Origins whose pages may use the API in a browser (V4). */
  readonly allowedOrigins: readonly string[];
  readonly now: () => number;
}
