import type { Edition } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { FailedItem, UrlItem } from '../../contract/records.ts';
import {
  type Item,
  isGiven,
  isHash,
  readCustomHash,
  readLongUrl,
  readSharedFields,
  readTagInstructions,
  tooManyTags,
} from '../api/field-rules.ts';
import { readHashes, readTagExpression, selectionKind } from '../api/parameters.ts';
import { Refusal } from '../api/refusal.ts';
import { itemError, type RecordSettings, succeededItem } from '../api/url-records.ts';
import type { Edit, EditOutcome } from '../store/store.ts';
import type { Call, Handler } from './call.ts';
import { groupNote } from './groups.ts';
import { hashInUse, ownHosts, perform, readItems, readOnlyItem, urlsMessage } from './items.ts';

type EditingCall = Call<'editUrl'> | Call<'editSelectedUrls'> | Call<'editUrls'>;

/** The hash is empty if the item has none. */
interface Given {
  readonly hash: string;
  readonly item: Item;
}

/** First style of 4.3.7: the hash is in the path. */
export const editUrl: Handler<'editUrl'> = async (call) => ({
  urls: await edit(call, [{ hash: call.path.hash, item: readOnlyItem(call.payload) }]),
});

/** Second style of 4.3.7, and 4.3.8: the same fields for many URLs. */
export const editSelectedUrls: Handler<'editSelectedUrls'> = async (call) => {
  if (selectionKind(call.query) === 'tags') return editByTags(call);
  const hashes = readHashes(call.query, call.settings.limits.maxBatch);
  const item = readOnlyItem(call.payload);
  // Several URLs cannot get the same hash.
  if (hashes.length > 1 && isGiven(item.custom_hash)) throw new Refusal(1307);
  const given = hashes.map((hash) => ({ hash, item }));
  return { urls: await edit(call, given) };
};

/** Third style of 4.3.7: different fields for each URL. An item without a hash fails alone, like one with an unknown hash. */
export const editUrls: Handler<'editUrls'> = async (call) => {
  const items = readItems(call.payload, call.settings.limits.maxBatch);
  const given = items.map((item) => ({ hash: typeof item.hash === 'string' ? item.hash : '', item }));
  return { urls: await edit(call, given) };
};

/** 4.3.8: at most four fields, any number of URLs, none of which are in the response. Other fields are refused instead of ignored. */
async function editByTags(call: Call<'editSelectedUrls'>): Promise<object> {
  const { edition } = call.settings;
  const expression = readTagExpression(call.query);
  const item = readOnlyItem(call.payload);
  const allowed = fieldNames('edit-by-tags', edition);
  if (fieldNames('edit', edition).some((name) => item[name] !== undefined && !allowed.includes(name))) throw new Refusal(1307);
  const note = groupNote(call, (urls) => `${urls} edited by tags`);
  await call.store.editTagged(expression, readSharedFields(item, edition), note);
  return {};
}

const unknownHash = new Refusal(1306, 'hash: no link of this domain has it');

async function edit(call: EditingCall, given: readonly Given[]): Promise<UrlItem[]> {
  const { store, settings } = call;
  const domain = await call.workingDomain();
  const hosts = await ownHosts(call);
  const read = (one: Given): Edit => readEdit(one, hosts, settings.edition);
  const note = call.note((done: readonly EditOutcome[]) => urlsMessage(done, 'edited', settings));
  const outcomes = await perform(given, read, (edits) => store.editUrls(domain, edits, note));
  return outcomes.map((outcome, index) => answerItem(given[index]?.hash ?? '', outcome, settings));
}

function readEdit({ hash, item }: Given, hosts: ReadonlySet<string>, edition: Edition): Edit {
  if (hash === '') throw new Refusal(1305, 'hash: missing');
  if (!isHash(hash)) throw unknownHash;
  const shared = readSharedFields(item, edition);
  const [newHash, longUrl, tags] = [readCustomHash(item), readLongUrl(item, hosts), readTagInstructions(item)];
  return { hash, changes: { ...shared, newHash, longUrl, tags } };
}

function answerItem(hash: string, outcome: EditOutcome | Refusal, settings: RecordSettings): UrlItem {
  const failed = (refusal: Refusal): FailedItem => ({ hash, error: itemError(refusal) });
  if (outcome instanceof Refusal) return failed(outcome);
  switch (outcome.kind) {
    case 'edited':
      return succeededItem(outcome.url, settings);
    case 'unknown':
      return failed(unknownHash);
    case 'taken':
      return failed(hashInUse);
    case 'too many tags':
      return failed(tooManyTags);
  }
}
