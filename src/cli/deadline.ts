/** Limits the time of one command (`--max-time`). */
export interface Deadline {
  /** Aborted at the deadline, with the failure as its reason; undefined without a limit. */
  readonly signal: AbortSignal | undefined;
  /** Ends all calls at the deadline, unless the command handles signals itself; undefined without a limit. */
  readonly calls: AbortSignal | undefined;
  /** Called before a changing call is sent: from then on the program waits for the command, which reports the outcome. */
  changes(): void;
  /**
   * Waits for `work`. At the deadline, interrupted calls fail with the deadline's error. Work that changed nothing and waits for something
   * else is abandoned a second later, unless `handlesEnd` returns true.
   */
  hold(work: Promise<void>, handlesEnd: () => boolean): Promise<void>;
  /** Stops the timer. */
  release(): void;
}

export const noDeadline: Deadline = {
  signal: undefined,
  calls: undefined,
  changes: () => undefined,
  hold: (work) => work,
  release: () => undefined,
};
