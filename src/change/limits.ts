import { UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import { canAsk, confirm } from '../cli/prompt.ts';
import { quantity } from '../output/quantity.ts';

/** `--max-affected` stops a change that is larger than its author believes, before anything is sent */
export function refuseTooMany(count: number, { global: { maxAffected } }: Invocation, orMore = false): void {
  if (maxAffected === undefined || count <= maxAffected) return;
  throw new UsageError(
    `${orMore ? 'at least ' : ''}${quantity(count, 'link')} would be affected, more than --max-affected ${maxAffected}; nothing was changed`,
  );
}

/** Refuses a change that needs an answer where nobody can give one, before anything is read for the question */
export async function requireAnswer(invocation: Invocation, way: 'named' | `--${string}`): Promise<void> {
  const { yes, dryRun, maxAffected } = invocation.global;
  if (dryRun || canAsk(invocation)) return;
  if (!yes) await confirm('', invocation);
  if (way !== 'named' && maxAffected === undefined) {
    throw new UsageError(`--max-affected required with ${way} when not running interactively`, {
      hint: 'add --max-affected <n>; --dry-run shows how many links match',
    });
  }
}
