/** A clock that stands still while anything happens, and then jumps to the next thing that is waited for. */
export class VirtualTime {
  #now = 1_000_000;
  readonly #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  readonly now = (): number => this.#now;

  readonly elapsed = this.now;

  readonly sleep = (milliseconds: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ until: this.#now + milliseconds, wake });
    });

  /** Until nobody sleeps any more. */
  async run(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#sleepers.sort((one, other) => one.until - other.until).shift();
      if (!next) return;
      this.#now = Math.max(this.#now, next.until);
      next.wake();
    }
  }
}
