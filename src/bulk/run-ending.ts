import { CliError } from '../base/errors.ts';
import { findSurplus } from './checked/late-duplicates.ts';
import { usualSettle } from './checked/newest-links.ts';
import type { Journal } from './journal/journal.ts';
import type { OutcomeFile } from './results/results.ts';
import type { StopReason } from './results/row-outcome.ts';
import type { RunEnvironment } from './run-plan.ts';
import type { Stop } from './sending/stop.ts';
import type { WorkSettings } from './sending/work-settings.ts';

/** Milliseconds that calls under way are given after a signal. */
const grace = 10_000;

/** Hears the first signal: nothing new is started, and after a grace what is under way is given up. */
export function listen<Payload extends object>(
  { environment }: WorkSettings<Payload>,
  stop: Stop,
  abort: AbortController,
  journal: Journal,
): () => void {
  const { interrupt, system } = environment;
  if (!interrupt) return () => {};
  const finished = new AbortController();
  const hear = (): void => {
    stop.request({ kind: 'signal' });
    journal.write({ type: 'signal', at: new Date(system.now()).toISOString() }).catch(() => undefined);
    system.sleep(grace, finished.signal).then(
      () => abort.abort(),
      () => undefined,
    );
  };
  if (interrupt.aborted) hear();
  else interrupt.addEventListener('abort', hear, { once: true });
  return () => {
    interrupt.removeEventListener('abort', hear);
    finished.abort();
  };
}

/**
 * Looks for links that late requests made, where rows of checked mode were sent again after a doubt; answers with their short
 * URLs. A run is complete only after it: where it cannot be made, the run stops, and the same command does it later (D7).
 */
export async function audit<Payload extends object>(
  { plan, environment, counted, domain, begun }: WorkSettings<Payload>,
  stop: Stop,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (plan.mode?.name !== 'checked' || stop.reason) return [];
  try {
    const { input, payload, settle = usualSettle } = plan;
    const { journal } = begun;
    const surplus = await findSurplus({
      ...counted,
      domain,
      journal,
      system: environment.system,
      settle,
      signal,
      input,
      payload,
    });
    for (const shortUrl of surplus) environment.warn(`${shortUrl} looks like a second link of a row: nothing was deleted`);
    return surplus;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    stop.because(notAudited(error));
    return [];
  }
}

function notAudited(cause: CliError): CliError {
  return new CliError(cause.kind, `whether late requests made links twice could not be looked up: ${cause.message}`, {
    apiCode: cause.apiCode,
    details: cause.details,
    cause,
    hint: 'every row has its final status; run the same command again to look once more',
  });
}

export interface Ending {
  readonly stop: Stop;
  readonly isComplete: boolean;
  readonly environment: RunEnvironment;
}

/** Puts the files in their places, where they hold every row (R-X9), and writes the end down. */
export async function close(journal: Journal, files: readonly OutcomeFile[], isWhole: boolean, ending: Ending): Promise<void> {
  const { stop, isComplete, environment } = ending;
  // First the files: a run that its journal calls complete is not gone on with, and would never show them.
  place(files, isWhole, stop);
  try {
    const reason = isWhole && isComplete && !stop.reason ? 'complete' : reasonOf(stop.reason);
    await journal.write({ type: 'end', reason, at: new Date(environment.system.now()).toISOString() });
  } catch (error) {
    if (error instanceof CliError) stop.because(error);
  } finally {
    await journal.close();
  }
}

function place(files: readonly OutcomeFile[], isWhole: boolean, stop: Stop): void {
  for (const file of files) {
    try {
      if (isWhole) file.commit();
      else file.discard();
    } catch (error) {
      stop.because(error);
    }
  }
}

function reasonOf(reason: StopReason | undefined): string {
  if (!reason) return 'unfinished';
  if (reason.kind !== 'error') return reason.kind;
  return reason.error.apiCode === 1303 ? 'quota' : reason.error.kind;
}
