/** Reports why the database cannot be used, without its URL, which may contain a password. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    // Each address of a host may fail for its own reason.
    const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    super(first instanceof Error ? first.message : String(first), { cause });
  }
}

/** A newer version of linkctl changed the schema while this one was running. */
export class OutdatedProgram extends Error {
  constructor() {
    super('a newer version of linkctl has changed the store: stop this process and start that version');
  }
}
