import { editions } from '../../contract/editions.ts';
import type { Page } from '../../contract/records.ts';
import { isHash } from '../api/field-rules.ts';
import { readHashes, readNumber, readSearch, readTagExpression, selectionKind } from '../api/parameters.ts';
import { Refusal } from '../api/refusal.ts';
import { listedRecord } from '../api/url-records.ts';
import type { Order, StoredUrl } from '../store/store.ts';
import type { Call, Handler } from './call.ts';

/** 4.3.5, 4.3.6, 4.3.9. */
export const listUrls: Handler<'listUrls'> = async (call) => {
  const { query, store } = call;
  const bounds = readPage(call);
  const kind = selectionKind(query);
  if (kind === 'hashes') return readNamed(call, bounds);
  const from =
    kind === 'tags'
      ? ({ kind, expression: readTagExpression(query) } as const)
      : ({ kind: 'domain', domain: await call.workingDomain() } as const);
  const [search, order] = [readSearch(query), readOrder(query)];
  if (!search.isPossible) return answer(call, [], 0, bounds.offset);
  const { urls, total } = await store.listUrls({ from, search: search.text, order, ...bounds });
  return answer(call, urls, total, bounds.offset);
};

/** API.md does not show the form of the result: public deployments return an array of one record. */
export const getUrl: Handler<'getUrl'> = async (call) => {
  const urls = await call.store.findUrls(await call.workingDomain(), [call.path.hash].filter(isHash));
  if (urls.length === 0) throw new Refusal(1306);
  return { urls: urls.map((url) => listedRecord(url, call.settings)) };
};

/**
 * `limit` is clamped to its default, so that responses have a bounded size. Zero gives an empty page with its `total_count`. API.md gives
 * no rule.
 */
export function readPage({ query, settings }: Pick<Call<'listUrls'>, 'query' | 'settings'>): { offset: number; limit: number } {
  const { groupBound } = editions[settings.edition];
  return { offset: readNumber(query, 'offset', 0), limit: Math.min(readNumber(query, 'limit', groupBound), groupBound) };
}

export function pageRecord(results: readonly unknown[], total: number, offset: number): Page {
  return { results_count: results.length, total_count: total, offset };
}

/** Keeps the requested order and leaves out unknown and repeated hashes; search and order do not apply. API.md gives no rule. */
async function readNamed(call: Call<'listUrls'>, { offset, limit }: { offset: number; limit: number }) {
  const hashes = new Set(readHashes(call.query, call.settings.limits.maxBatch).filter(isHash));
  const urls = await call.store.findUrls(await call.workingDomain(), [...hashes]);
  return answer(call, urls.slice(offset, offset + limit), urls.length, offset);
}

function answer({ settings }: Call<'listUrls'>, urls: readonly StoredUrl[], total: number, offset: number) {
  return { urls: urls.map((url) => listedRecord(url, settings)), page: pageRecord(urls, total, offset) };
}

const orders: readonly Order[] = ['created', 'clicks', 'hash', 'modified'];

/** API.md does not list the values; these are those of public deployments. */
function readOrder(query: URLSearchParams): Order {
  const text = query.get('order_by') ?? '';
  const order = text === '' ? 'created' : orders.find((name) => name === text);
  if (!order) throw new Refusal(1305);
  return order;
}

/**
 * An unknown hash has no stats and is no error, as in public deployments. `daily_clicks` is sent here but not in listings, where a year of
 * 1,000 links would make a page of 17 MB. Days without clicks are left out, and a visitor is unique on the day of the first click, so that
 * the days add up to the counters.
 */
export const getStats: Handler<'getStats'> = async (call) => {
  const domain = await call.workingDomain();
  const found = isHash(call.path.hash) ? await call.store.findStats(domain, call.path.hash) : undefined;
  if (!found) return { stats: [] };
  const { totalClicks: total_clicks, uniqueClicks: unique_clicks, days } = found;
  const daily_clicks = Object.fromEntries(days.map(({ day, total, unique }) => [day, { total, unique }]));
  return { stats: [{ hash: call.path.hash, total_clicks, unique_clicks, daily_clicks }] };
};
