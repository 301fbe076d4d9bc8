import type { Edition } from '../../src/contract/editions.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { oddHashes } from '../support/stored-links.ts';

export const from = 'https://old.example/shop';
export const to = 'https://new.example/store';

/** On edition A every hash is there on both domains. */
export const domainsOf = { a: ['s.ex', 'go.ex'], b: ['s.ex'] } as const satisfies Record<Edition, readonly string[]>;

/** A link before and after the rewrite; a link that the rewrite is not for leads to the same before and after. */
export interface AccountLink {
  readonly domain: string;
  readonly item: ShortenItem & { readonly custom_hash: string; readonly long_url: string };
  readonly rewritten: string;
}

type Form = (nth: number) => { readonly url: string; readonly rewritten?: string };

const rest = (beginning: string, text: string): ReturnType<Form> => ({ url: beginning + text, rewritten: to + text });

/** Two of five begin with `from`, at a boundary (F4); the bytes after it differ in all that a careless program would change. */
const forms: readonly Form[] = [
  (nth) => rest(from, `/${nth}`),
  (nth) => ({ url: `https://old.example.evil/shop/${nth}` }),
  (nth) => rest(from, `?id=${nth}&id=&utm_source=a+b#Top`),
  (nth) => ({ url: `https://elsewhere.example/?to=${from}/${nth}` }),
  (nth) => ({ url: `${from}ping/${nth}` }),
  (nth) => rest('HTTPS://OLD.Example/shop', `/%7e/%C3%A4/ä/${nth}?`),
  (nth) => ({ url: `http://old.example/shop/${nth}` }),
  (nth) => rest('https://old.example:443/shop', `/../${nth}?to=${from}`),
  (nth) => ({ url: `https://old.example:8443/shop/${nth}` }),
  (nth) => ({ url: `https://old.example/Shop/${nth}` }),
  () => rest(from, ''),
  (nth) => ({ url: `https://www.old.example/shop/${nth}` }),
  (nth) => rest(from, `#part-${nth}`),
  (nth) => ({ url: `${to}/${nth}` }),
  (nth) => ({ url: `https://ann@old.example/shop/${nth}` }),
];

/** `count` links, two fifths of which the rewrite is for; on edition A the same hashes on both domains. */
export function accountLinks(edition: Edition, count: number): AccountLink[] {
  const domains = domainsOf[edition];
  const each = Math.ceil(count / domains.length);
  return domains.flatMap((domain, place) =>
    Array.from({ length: each }, (_, index) => linkAt(edition, domain, index, index + place * (each + 1))),
  );
}

/** What a hash is selected for on one domain says nothing of the other one. */
function linkAt(edition: Edition, domain: string, index: number, nth: number): AccountLink {
  const { url, rewritten = url } = (forms[nth % forms.length] as Form)(nth);
  return { domain, item: { custom_hash: hashAt(index), long_url: url, ...fieldsAt(edition, nth) }, rewritten };
}

/** Hashes that look like something else, and pairs that differ in case alone. */
function hashAt(index: number): string {
  return oddHashes[index] ?? `${index % 2 === 0 ? 'k' : 'K'}${Math.floor(index / 2)}`;
}

function fieldsAt(edition: Edition, nth: number): Omit<ShortenItem, 'long_url' | 'custom_hash'> {
  return {
    ...(nth % 3 === 0 && { note: `"${nth}", näh\u0308er; ${from}` }),
    ...(nth % 4 === 0 && { tags: nth % 8 === 0 ? ['promo', 'a & b'] : ['promo'] }),
    ...(nth % 7 === 0 && { expiration_date: '2099-12-31' }),
    ...(nth % 11 === 0 && edition === 'a' && { max_clicks: nth }),
    ...(nth % 13 === 0 && { email_stats: true }),
  };
}
