/** Limits the time of one command (`--max-time`). */
export interface Deadline {
  /** Aborted at the deadline, with the failure as its reason; undefined without a limit. */
  readonly signal: AbortSignal | undefined;
  /**
   * Waits for `work`. At the deadline, unless `handlesEnd` returns true, calls are interrupted and fail with the deadline's error. Work that
   * changed nothing and waits for something else is abandoned a second later.
   */
  hold(work: Promise<void>, handlesEnd: () => boolean): Promise<void>;
}

export const noDeadline: Deadline = {
  signal: undefined,
  hold: (work) => work,
};
