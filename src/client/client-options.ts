import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import type { OperationInput, OperationName, OperationResult } from '../contract/operations.ts';
import type { Envelope } from '../contract/records.ts';
import type { Identity } from './api-messages.ts';
import type { ClientEvent } from './call/observation.ts';

/** What one call may do that others may not. */
export interface SendOptions {
  /**
   * Whether the same payload may be sent again when it is not known whether it was applied (class A). Without it the
   * operation's own row of RELIABILITY.md 2.1 holds; POST /urls never repeats unless told.
   */
  readonly repeat?: boolean;
  /** Aborts the call, as the client's own does: an attempt under way is class A, a wait ends at once. */
  readonly signal?: AbortSignal | undefined;
  /** Told that an attempt may have been applied: what the next one is answered is no answer to the first. */
  readonly onDoubt?: (() => void) | undefined;
  /** Told each time that the server asks to slow down (429, 1219), also where the call succeeds in the end. */
  readonly onThrottled?: (() => void) | undefined;
}

/** Makes one call of the contract and answers with a checked result. Throws `CallError`. */
export type Send = <O extends OperationName>(
  operation: O,
  input: OperationInput<O>,
  options?: SendOptions,
) => Promise<OperationResult<O> & Envelope>;

export interface ClientOptions {
  /** The API root; a trailing slash does not matter. */
  readonly baseUrl: string;
  /** What the server is known by, where its address is another one at every call; the base URL without it. */
  readonly server?: string | undefined;
  readonly username: string;
  /** Asked once, before the first request. Without it, calls carry no credentials: to see what is at an address. */
  readonly readKey?: (() => Promise<string>) | undefined;
  readonly edition: Edition;
  /** Name of the stored profile, where the credentials are one's (B47). */
  readonly profile?: string | undefined;
  /** Where the key comes from, as people know it: a file's path, `LINKCTL_API_KEY` (B47). */
  readonly keySource: string;
  /** The working domain, for messages about it. */
  readonly domain?: Identity['domain'];
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
  /** Ends every call, whatever signal it is given of its own. */
  readonly signal?: AbortSignal | undefined;
  /** Told before the first byte of a call that changes something. */
  onChange?(): void;
  observe?(event: ClientEvent): void;
  /** Takes secrets out of a text for people. */
  redact?(text: string): string;
  /** Takes the key out of what a server sends, and nothing else. */
  withoutKey?(text: string): string;
}
