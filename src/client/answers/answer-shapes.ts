import { withoutScheme } from '../../contract/link.ts';
import type { OperationName } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import {
  anything,
  flag,
  integer,
  list,
  mapOf,
  number,
  optional,
  orAsIs,
  record,
  type Shape,
  scalar,
  shortText,
  shownText,
  text,
} from './shapes.ts';

const none = record({});
const hash = shortText(1024);
const url = {
  hash,
  long_url: shownText,
  short_url: shortUrl,
  short_url_with_protocol: shortUrl,
  total_clicks: optional(number),
  unique_clicks: optional(number),
  last_visit: optional(text),
  note: optional(text),
  email_stats: optional(flag),
  expiration_date: optional(text),
  max_clicks: optional(number),
  tags: optional(list(text)),
  links: anything,
} satisfies { readonly [Member in Exclude<keyof UrlRecord, 'error'>]: Shape };
const itemFailure = record({ code: integer, message: optional(text), details: optional(text) });
const item = named(record({ ...url, hash: optional(hash), custom_hash: shownText, error: optional(itemFailure) }));
const items = record({ urls: list(item) });
/** The numbers are not checked here: paging compares them with the rows before it uses them. */
const page = mapOf(anything);
const counter = record({ count: optional(number), limit: optional(number) });
const label = record({ label: text });
const tag = record({ tags: optional(list(label)) });

/**
 * Checks an answer before any part of it is used. Servers leave out members or send null, so only `hash`, `label` and `domain` are
 * required.
 */
export const answerShapes: { readonly [O in OperationName]: Shape } = {
  getAccount: record({
    account: record({
      username: optional(text),
      custom_domain: optional(text),
      account_expiration_date: optional(text),
      subscription_plan: optional(text),
      counters: optional(mapOf(orAsIs(counter))),
    }),
  }),
  shortenUrls: items,
  listUrls: record({ urls: list(named(record(url))), page: optional(page) }),
  getUrl: none,
  editUrl: items,
  editSelectedUrls: record({ urls: optional(list(item)) }),
  editUrls: items,
  deleteUrl: none,
  deleteUrls: none,
  getStats: record({ stats: list(record({ hash, total_clicks: optional(number), unique_clicks: optional(number) })) }),
  resetStats: none,
  resetSelectedStats: none,
  listTags: record({ tags: list(label) }),
  addTag: tag,
  renameTag: tag,
  deleteTag: none,
  listDomains: record({
    domains: list(
      record({
        domain: text,
        hash_character_set: optional(text),
        hash_generation: optional(text),
        status: optional(text),
        custom_root_page: optional(text),
        custom_404_page: optional(text),
        redirect_code: optional(scalar('text or a number', (value) => typeof value === 'string' || typeof value === 'number')),
        use_https: optional(flag),
      }),
    ),
  }),
  listLog: record({
    page: optional(page),
    log: list(
      record({
        message: optional(text),
        time: optional(text),
        type: optional(text),
        satellite_username: optional(text),
        links: anything,
      }),
    ),
  }),
};

/** A scheme alone is an empty short URL, which would make all links of a listing the same link. */
function shortUrl(value: unknown): string | undefined {
  const shown = shownText(value);
  return shown === undefined || withoutScheme(shown) === '' ? undefined : shown;
}

/** Some servers write the scheme in `short_url`, or show only the short URL that has one. */
function named(link: Shape): Shape {
  return (value) => {
    const shown = link(value) as Partial<UrlRecord>;
    const written = shown.short_url ?? shown.short_url_with_protocol;
    const short_url = written && withoutScheme(written);
    if (short_url !== shown.short_url) {
      Object.assign(shown, { short_url, short_url_with_protocol: shown.short_url_with_protocol ?? written });
    }
    return shown;
  };
}
