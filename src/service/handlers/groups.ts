import { hashSelection, readSelection } from '../api/parameters.ts';
import { Refusal } from '../api/refusal.ts';
import type { GroupOutcome, Selection } from '../store/store.ts';
import type { Call, Handler, LogMessage } from './call.ts';
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
  return readSelection(call.query, call.settings.limits.groupBound, call.workingDomain);
}

async function remove(call: GroupCall, selection: Selection): Promise<object> {
  checkKnown(
    await call.store.deleteUrls(
      selection,
      call.note((outcome) => noted(outcome, (urls) => `${urls} deleted`)),
    ),
  );
  return {};
}

async function reset(call: GroupCall, selection: Selection): Promise<object> {
  checkKnown(
    await call.store.resetStats(
      selection,
      call.note((outcome) => noted(outcome, (urls) => `Stats of ${urls} reset`)),
    ),
  );
  return {};
}

function noted(outcome: GroupOutcome, message: (urls: string) => string): LogMessage | undefined {
  if (outcome.kind === 'unknown' || outcome.count === 0) return undefined;
  return { message: message(plural(outcome.count, 'URL')) };
}

function checkKnown(outcome: GroupOutcome): void {
  if (outcome.kind === 'unknown') throw new Refusal(1306);
}
