import { type Edition, editions } from '../../contract/editions.ts';
import type { FailedItem, UrlItem } from '../../contract/records.ts';
import { checkLabel, type Item, readCustomHash, readLongUrl, readSharedFields, readTags } from '../api/field-rules.ts';
import { Refusal } from '../api/refusal.ts';
import { itemError, succeededItem } from '../api/url-records.ts';
import type { Creation, CreationRules, NewUrl } from '../store/store.ts';
import type { Call, Handler } from './call.ts';
import { hashInUse, ownHosts, perform, readItems, urlsMessage } from './items.ts';

/** 4.3.1 to 4.3.4. The response keeps the order of the items, which the document does not require. */
export const shortenUrls: Handler<'shortenUrls'> = async (call) => {
  const domain = await call.workingDomain();
  const items = readItems(call.payload, call.settings.limits.maxBatch);
  const hosts = await ownHosts(call);
  const read = (item: Item): NewUrl => readNewUrl(item, hosts, call.settings.edition);
  const note = call.note((made: readonly Creation[]) => urlsMessage(made, 'created', call.settings));
  const outcomes = await perform(items, read, (valid) =>
    call.store.createUrls(valid, creationRules(call, domain, valid.length), note),
  );
  return { urls: outcomes.flatMap((outcome, index) => answerItems(items[index] ?? {}, outcome, call)) };
};

/** The defaults are those of public deployments; API.md has none. */
function readNewUrl(item: Item, hosts: ReadonlySet<string>, edition: Edition): NewUrl {
  const longUrl = readLongUrl(item, hosts);
  if (longUrl === undefined) throw new Refusal(1305, 'long_url: missing');
  const customHash = readCustomHash(item);
  const { note = '', emailStats = false, expirationDate = null, maxClicks = 0 } = readSharedFields(item, edition);
  const tags = (readTags(item) ?? []).map(checkLabel);
  return { longUrl, customHash, note, emailStats, expirationDate, maxClicks, tags };
}

/** Any value, even an empty one, switches it on; `domain` narrows it on edition A (4.3.3). */
function creationRules({ query, settings }: Call<'shortenUrls'>, domain: CreationRules['domain'], items: number): CreationRules {
  const scope = query.get('disable_long_url_duplicates');
  const { groupBound } = editions[settings.edition];
  const rules = {
    domain,
    urlLimit: settings.limits.maxUrls,
    monthLimit: settings.limits.maxMonthUrls,
    existingBound: groupBound,
  };
  if (scope === null) return { ...rules, duplicates: 'allowed' };
  // The items share the bound, so that a response has no more records than a page of a listing. Each item needs one.
  const existingBound = Math.max(1, Math.floor(groupBound / items));
  return {
    ...rules,
    existingBound,
    duplicates: scope === editions[settings.edition].dedupe.domain ? 'none in domain' : 'none in account',
  };
}

function answerItems(item: Item, outcome: Creation | Refusal, { settings }: Call<'shortenUrls'>): UrlItem[] {
  if (outcome instanceof Refusal) return [failedItem(item, outcome)];
  switch (outcome.kind) {
    case 'created':
      return [succeededItem(outcome.url, settings)];
    case 'existing':
      return outcome.urls.map((url) => succeededItem(url, settings));
    case 'taken':
      return [failedItem(item, hashInUse)];
    case 'over limit':
      return [failedItem(item, new Refusal(1220))];
  }
}

/** The error and an echo of the submitted values (4.3.1). */
function failedItem(item: Item, refusal: Refusal): FailedItem {
  return { error: itemError(refusal), long_url: echo(item.long_url), custom_hash: echo(item.custom_hash) };
}

/** JSON that nests too deeply can be read, but not be written. */
function echo(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? undefined : value;
}
