import type { Attempted, RetriedCall, RetrySettings } from './retry-loop.ts';

/** Throws `CallError` if no attempt succeeds. The first one usually does, and needs nothing of what follows a failure. */
export async function withRetries<T>(
  attempt: () => Promise<Attempted<T>>,
  call: RetriedCall,
  settings: RetrySettings,
): Promise<T> {
  const { circuit } = settings;
  const { refusals } = circuit;
  const first = await attempt();
  if ('result' in first) {
    circuit.succeeded();
    return first.result;
  }
  const { retried } = await import('./retry-loop.ts');
  return await retried(first, attempt, call, { ...settings, refusals });
}
