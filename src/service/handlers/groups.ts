import { isHash } from '../api/field-rules.ts';
import { readHashes, readTagExpression, selectionKind } from '../api/parameters.ts';
import { Refusal } from '../api/refusal.ts';
import type { GroupOutcome, Note, Selection } from '../store/store.ts';
import type { Call, Handler } from './call.ts';
import { plural } from './items.ts';

type GroupCall = Call<'deleteUrl'> | Call<'deleteUrls'> | Call<'resetStats'> | Call<'resetSelectedStats'>;

export const deleteUrl: Handler<'deleteUrl'> = async (call) => remove(call, await named(call, () => [call.path.hash]));

export const deleteUrls: Handler<'deleteUrls'> = async (call) => remove(call, await selected(call));

export const resetStats: Handler<'resetStats'> = async (call) => reset(call, await named(call, () => [call.path.hash]));

export const resetSelectedStats: Handler<'resetSelectedStats'> = async (call) => reset(call, await selected(call));

/** A missing selection is 1305, because it must not mean everything. */
async function selected(call: GroupCall): Promise<Selection> {
  const kind = selectionKind(call.query);
  if (kind === undefined) throw new Refusal(1305);
  if (kind === 'tags') return { kind, expression: readTagExpression(call.query) };
  return named(call, () => readHashes(call.query, call.settings.limits.maxBatch));
}

/** One unknown hash refuses the whole call with 1306, because the response cannot name it. So does one that no link can have. */
async function named(call: GroupCall, read: () => readonly string[]): Promise<Selection> {
  const domain = await call.workingDomain();
  const hashes = read();
  if (!hashes.every(isHash)) throw new Refusal(1306);
  return { kind: 'hashes', domain, hashes };
}

async function remove(call: GroupCall, selection: Selection): Promise<object> {
  const note = groupNote(call, (urls) => `${urls} deleted`);
  return answer(await call.store.deleteUrls(selection, note));
}

async function reset(call: GroupCall, selection: Selection): Promise<object> {
  const note = groupNote(call, (urls) => `Stats of ${urls} reset`);
  return answer(await call.store.resetStats(selection, note));
}

export function groupNote({ note }: Pick<GroupCall, 'note'>, message: (urls: string) => string): Note<GroupOutcome> | undefined {
  return note((count) => (count ? { message: message(plural(count, 'URL')) } : undefined));
}

function answer(outcome: GroupOutcome): object {
  if (outcome === undefined) throw new Refusal(1306);
  return {};
}
