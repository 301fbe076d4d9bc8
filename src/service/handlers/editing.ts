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
import type { Edit, EditOutcome, UrlChanges } from '../store/store.ts';
import type { Call, Handler } from './call.ts';
import { groupNote } from './groups.ts';
import { attempt, hashInUse, ownHosts, perform, readItems, readOnlyItem, urlsMessage } from './items.ts';

type EditingCall = Call<'editUrl'> | Call<'editSelectedUrls'> | Call<'editUrls'>;

/** A valid edit or its refusal, with the hash for the response. */
interface Reading {
  readonly hash: string;
  readonly changes: UrlChanges | Refusal;
}

/** First style of 4.3.7: the hash is in the path. */
export const editUrl: Handler<'editUrl'> = async (call) => {
  const changesOf = await changesReader(call);
  return { urls: await edit(call, [{ hash: call.path.hash, changes: changesOf(readOnlyItem(call.payload)) }]) };
};

/** Second style of 4.3.7, and 4.3.8: the same fields for many URLs. */
export const editSelectedUrls: Handler<'editSelectedUrls'> = async (call) => {
  if (selectionKind(call.query) === 'tags') return editByTags(call);
  const hashes = readHashes(call.query, call.settings.limits.maxBatch);
  const item = readOnlyItem(call.payload);
  // Several URLs cannot get the same hash.
  if (hashes.length > 1 && isGiven(item.custom_hash)) throw new Refusal(1307);
  const changesOf = await changesReader(call);
  const changes = changesOf(item);
  const readings = hashes.map((hash) => ({ hash, changes }));
  return { urls: await edit(call, readings) };
};

/** Third style of 4.3.7: different fields for each URL. An item without a hash fails alone, like one with an unknown hash. */
export const editUrls: Handler<'editUrls'> = async (call) => {
  const changesOf = await changesReader(call);
  const items = readItems(call.payload, call.settings.limits.maxBatch);
  const readings = items.map((item): Reading => {
    const hash = typeof item.hash === 'string' ? item.hash : '';
    return { hash, changes: hash === '' ? new Refusal(1305, 'hash: missing') : changesOf(item) };
  });
  return { urls: await edit(call, readings) };
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

async function changesReader(call: EditingCall): Promise<(item: Item) => UrlChanges | Refusal> {
  const hosts = await ownHosts(call);
  return (item) =>
    attempt(() => ({
      ...readSharedFields(item, call.settings.edition),
      newHash: readCustomHash(item),
      longUrl: readLongUrl(item, hosts),
      tags: readTagInstructions(item),
    }));
}

const unknownHash = new Refusal(1306, 'hash: no link of this domain has it');

async function edit(call: EditingCall, given: readonly Reading[]): Promise<UrlItem[]> {
  const domain = await call.workingDomain();
  const readings = given.map(({ hash, changes }): Edit | Refusal => {
    if (hash !== '' && !isHash(hash)) return unknownHash;
    return changes instanceof Refusal ? changes : { hash, changes };
  });
  const note = call.note((done: readonly EditOutcome[]) => urlsMessage(done, 'edited', call.settings));
  const outcomes = await perform(readings, (edits) => call.store.editUrls(domain, edits, note));
  return outcomes.map((outcome, index) => answerItem(given[index]?.hash ?? '', outcome, call.settings));
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
