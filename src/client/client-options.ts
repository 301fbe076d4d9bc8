import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import type { OperationInput, OperationName, OperationResult } from '../contract/operations.ts';
import type { Envelope } from '../contract/records.ts';
import type { DirectAnswer } from './http/transport.ts';
import type { AccountOptions } from './subject.ts';

export interface SendOptions {
  /**
   * Set if the same payload may be sent again while the outcome is unknown. By default the operation decides; POST /urls is never
   * repeated.
   */
  readonly repeat?: boolean;
  /** In addition to the client's signal. Aborting an attempt leaves its outcome unknown; aborting a wait does not. */
  readonly signal?: AbortSignal | undefined;
  /** Ends waits for a further attempt, and none is made. An attempt in flight goes on. */
  readonly halt?: AbortSignal | undefined;
  /** Called when an attempt has an unknown outcome. */
  readonly onDoubt?: (() => void) | undefined;
  /**
   * Called before each further attempt, because waits can be long: false ends the call if its target has changed since, and the caller
   * must decide again.
   */
  readonly isCurrent?: (() => Promise<boolean>) | undefined;
  /**
   * Called for each 429 or 1219, even if the call succeeds later. If the server said how long to wait, `over` is settled when the call is
   * sent again or given up.
   */
  readonly onThrottled?: ((over?: Promise<unknown>) => void) | undefined;
}

export type Answer<O extends OperationName> = OperationResult<O> & Envelope;

/** Throws `CallError`. */
export type Send = <O extends OperationName>(operation: O, input: OperationInput<O>, options?: SendOptions) => Promise<Answer<O>>;

export interface ClientOptions extends AccountOptions {
  /** Called once, before the first request. Without it, requests have no credentials. */
  readonly readKey?: (() => Promise<string>) | undefined;
  readonly edition: Edition;
  /** Part of the user agent. */
  readonly version: string;
  readonly system: Pick<System, 'elapsed' | 'env' | 'platform' | 'nodeVersion' | 'now' | 'random' | 'sleep' | 'stderr'>;
  /** Sends PATCH and DELETE as POST with `X-HTTP-Method-Override` (4.1.3). */
  readonly methodOverride?: boolean | undefined;
  /** Seconds until an answer must begin. */
  readonly timeout?: number | undefined;
  /** Attempts after the first one; `defaultRetries` without it, 0 disables retries. */
  readonly retries?: number | undefined;
  /** Seconds that a call may wait at the server's request; 30 on a terminal and 900 otherwise. */
  readonly maxWait?: number | undefined;
  readonly caFile?: string | undefined;
  /** Of a server in this process, which is asked without HTTP. */
  readonly answer?: DirectAnswer | undefined;
  /** Ends every call, in addition to the call's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the first byte of a changing call. */
  onChange?(): void;
  observe?(event: ClientEvent): void;
  /** Completes the commands of a hint. */
  readonly pasteable?: ((hint: string) => string) | undefined;
  /** Removes secrets from a text for people. */
  redact?(text: string): string;
  /** Removes only the key, from what a server sends. */
  withoutKey?(text: string): string;
}

/** Events for `-v` and `--debug`. Redacting takes time, so texts of an exchange are produced on demand. */
export type ClientEvent =
  | {
      readonly kind: 'exchange';
      readonly method: string;
      readonly milliseconds: number;
      /** Includes the query. */
      path(): string;
      /** HTTP status, or the reason why there is none. */
      outcome(): number | string;
      /** For `--debug`. */
      detail(): ExchangeDetail;
    }
  | ({ readonly kind: 'retry'; readonly method: string; readonly path: string } & RetryNotice)
  | { readonly kind: 'warning'; readonly message: string };

/** Reported before the wait. */
export interface RetryNotice {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly reason: string;
  /** Milliseconds. */
  readonly delay: number;
}

export interface ExchangeDetail {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: string | undefined;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

/** Milliseconds. On a terminal the default is shorter, because a person is waiting. */
export function maxWaitOf(maxWait: number | undefined, { stderr }: Pick<System, 'stderr'>): number {
  return (maxWait ?? (stderr.isTTY ? 30 : 900)) * 1000;
}
