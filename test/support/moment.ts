/** A moment that the work comes to, and is kept in until the test lets it go on. */
export interface Moment {
  /** Called by the work. */
  stay(): Promise<void>;
  /** Resolves when the work has come to it. */
  readonly reached: Promise<void>;
  leave(): void;
}

export function createMoment(): Moment {
  let come = (): void => {};
  let leave = (): void => {};
  const reached = new Promise<void>((resolve) => {
    come = resolve;
  });
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const stay = (): Promise<void> => {
    come();
    return left;
  };
  return { stay, reached, leave };
}
