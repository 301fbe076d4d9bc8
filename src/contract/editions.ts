/**
 * The interface exists in two profiles, which this program calls editions, because "profile" is what it calls a stored set
 * of credentials (API.md 9.3). Whatever differs between the two is a row here.
 */
export type Edition = 'a' | 'b';

/** What differs between the editions. */
interface EditionTraits {
  /** Its name in messages. */
  readonly title: string;
  /** Items in one group operation; above it the server answers 1221 (API.md 8). Also the default page of GET /urls. */
  readonly groupBound: number;
  /** Values of `disable_long_url_duplicates` (API.md 4.3.3), by the scope asked for. */
  readonly dedupe: { readonly account: string; readonly domain?: string };
  /** Several domains, the `domain` parameter, GET /domains and GET /log. */
  readonly severalDomains: boolean;
}

export const editions: { readonly [E in Edition]: EditionTraits } = {
  a: {
    title: 'edition A (several domains)',
    groupBound: 1000,
    dedupe: { account: 'account', domain: 'domain' },
    severalDomains: true,
  },
  b: { title: 'edition B (one domain)', groupBound: 500, dedupe: { account: '1' }, severalDomains: false },
};

/** The server of an edition, in messages about what it lacks. */
export function thisServer(edition: Edition): string {
  return `this server (edition ${edition.toUpperCase()})`;
}

export function isEdition(value: unknown): value is Edition {
  return value === 'a' || value === 'b';
}
