/** What tells links apart (F5): a hash, and on edition A the domain that it lives on, where that is known (4.1.7). */
export interface LinkKey {
  readonly hash: string;
  /** In ASCII and lower case (B97), with the port if it has one. */
  readonly domain?: string | undefined;
}

/** A link as people write it; equal for equal links. */
export function linkText({ domain, hash }: LinkKey): string {
  return domain === undefined ? hash : `${domain}/${hash}`;
}

/** Equal for what may be one hash: some servers write it in another case than it was asked for in, or with blanks around it. */
export function foldedHash(hash: string): string {
  return hash.trim().toLowerCase();
}
