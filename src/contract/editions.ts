/** The two profiles of the API (9.3). Here, "profile" means stored credentials. Every difference between the editions is in this file. */
export type Edition = 'a' | 'b';

interface EditionTraits {
  /** Used in messages. */
  readonly title: string;
  /** Items in one group operation; above it the server answers 1221 (8). Also the default page size of GET /urls. */
  readonly groupBound: number;
  /** Values of `disable_long_url_duplicates` (4.3.3) by scope. */
  readonly dedupe: { readonly account: string; readonly domain?: string };
  /** The account has several domains, and the API has the `domain` parameter, GET /domains and GET /log. */
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

export function thisServer(edition: Edition): string {
  return `this server (edition ${edition.toUpperCase()})`;
}

export function isEdition(value: unknown): value is Edition {
  return value === 'a' || value === 'b';
}
