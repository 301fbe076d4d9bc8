import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import type { OperationInput, OperationName, OperationResult } from '../contract/operations.ts';
import type { Envelope } from '../contract/records.ts';
import type { AccountOptions } from './subject.ts';

/** Options of one call. */
export interface SendOptions {
  /**
   * Whether the same payload may be sent again when it is not known whether it was applied (class A). Without it R 2.1 decides by
   * the operation; POST /urls is then never repeated.
   */
  readonly repeat?: boolean;
  /** Aborts the call, in addition to the client's own signal: an attempt under way is class A, a wait ends at once. */
  readonly signal?: AbortSignal | undefined;
  /** Called when an attempt may have been applied: the answer to the next attempt says nothing about this one. */
  readonly onDoubt?: (() => void) | undefined;
  /**
   * Asked before each further attempt: whether what the call changes is still as it was when the call was decided on. If not, the call
   * ends: waits may be long, and the caller has to look again.
   */
  readonly isCurrent?: (() => Promise<boolean>) | undefined;
  /** Called each time that the server asks to slow down (429, 1219), also where the call succeeds in the end. */
  readonly onThrottled?: (() => void) | undefined;
}

/** The checked result of an operation. */
export type Answer<O extends OperationName> = OperationResult<O> & Envelope;

/** Makes one call of the contract and answers with a checked result. Throws `CallError`. */
export type Send = <O extends OperationName>(operation: O, input: OperationInput<O>, options?: SendOptions) => Promise<Answer<O>>;

export interface ClientOptions extends AccountOptions {
  /** Called once, before the first request. Without it, calls carry no credentials. */
  readonly readKey?: (() => Promise<string>) | undefined;
  readonly edition: Edition;
  /** Of this program, for the user agent. */
  readonly version: string;
  readonly system: Pick<System, 'env' | 'platform' | 'nodeVersion' | 'now' | 'random' | 'sleep' | 'stderr'>;
  /** PATCH and DELETE travel as POST with `X-HTTP-Method-Override` (4.1.3). */
  readonly methodOverride?: boolean | undefined;
  /** Seconds until an answer must begin; R-9 has the defaults. */
  readonly timeout?: number | undefined;
  /** Attempts after the first one; 4 by default, 0 switches retrying off. */
  readonly retries?: number | undefined;
  /** Seconds that a call may wait when the server asks it to; 30 on a terminal and 900 otherwise (B77). */
  readonly maxWait?: number | undefined;
  readonly caFile?: string | undefined;
  /** Ends every call, in addition to a signal of its own. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the first byte of a call that changes something. */
  onChange?(): void;
  observe?(event: ClientEvent): void;
  /** Takes secrets out of a text for people. */
  redact?(text: string): string;
  /** Takes the key out of what a server sends, and nothing else. */
  withoutKey?(text: string): string;
}

/**
 * What a client reports while it works, for `-v` and `--debug`; it never prints anything itself. Texts are redacted, which takes
 * time, so those of an exchange are made when they are asked for.
 */
export type ClientEvent =
  | {
      readonly kind: 'exchange';
      readonly method: string;
      readonly milliseconds: number;
      /** With the query. */
      path(): string;
      /** HTTP status, or why there is none. */
      outcome(): number | string;
      /** For `--debug`. */
      detail(): ExchangeDetail;
    }
  | ({ readonly kind: 'retry'; readonly method: string; readonly path: string } & RetryNotice)
  | { readonly kind: 'warning'; readonly message: string };

/** One retry, reported before its wait. */
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

/** Milliseconds that is waited for a server that asks for it: `--max-wait`, or less before the eyes of a person. */
export function maxWaitOf({
  maxWait,
  system,
}: {
  readonly maxWait?: number | undefined;
  readonly system: Pick<System, 'stderr'>;
}): number {
  return (maxWait ?? (system.stderr.isTTY ? 30 : 900)) * 1000;
}
