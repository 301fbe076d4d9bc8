import { hashSelection, readSelection } from '../api/parameters.ts';
import { Refusal } from '../api/refusal.ts';
import type { GroupOutcome, Note, Selection } from '../store/store.ts';
import type { Call, Handler } from './call.ts';
import { plural } from './items.ts';

type GroupCall = Call<'deleteUrl'> | Call<'deleteUrls'> | Call<'resetStats'> | Call<'resetSelectedStats'>;

export const deleteUrl: Handler<'deleteUrl'> = async (call) => remove(call, await named(call, call.path.hash));

export const deleteUrls: Handler<'deleteUrls'> = async (call) => remove(call, await selected(call));

export const resetStats: Handler<'resetStats'> = async (call) => reset(call, await named(call, call.path.hash));

export const resetSelectedStats: Handler<'resetSelectedStats'> = async (call) => reset(call, await selected(call));

async function named(call: GroupCall, hash: string): Promise<Selection> {
  return hashSelection(await call.workingDomain(), [hash]);
}

function selected(call: GroupCall): Promise<Selection> {
  return readSelection(call.query, call.settings.limits.maxBatch, call.workingDomain);
}

async function remove(call: GroupCall, selection: Selection): Promise<object> {
  const note = noteOf(call, (urls) => `${urls} deleted`);
  return answer(await call.store.deleteUrls(selection, note));
}

async function reset(call: GroupCall, selection: Selection): Promise<object> {
  const note = noteOf(call, (urls) => `Stats of ${urls} reset`);
  return answer(await call.store.resetStats(selection, note));
}

function noteOf(call: GroupCall, message: (urls: string) => string): Note<GroupOutcome> {
  return call.note((outcome) =>
    outcome.kind === 'done' && outcome.count > 0 ? { message: message(plural(outcome.count, 'URL')) } : undefined,
  );
}

function answer({ kind }: GroupOutcome): object {
  if (kind === 'unknown') throw new Refusal(1306);
  return {};
}
