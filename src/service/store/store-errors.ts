/** The database cannot be used: the reason, without its address, in which a password may be. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    // For each address of a host there may be another reason.
    const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    super(first instanceof Error ? first.message : String(first), { cause });
  }
}
