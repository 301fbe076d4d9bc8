import { UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import { canAsk, confirm } from '../cli/prompt.ts';
import { quantity } from '../output/quantity.ts';

interface Counted {
  /** The count is a lower bound. */
  readonly orMore?: boolean;
  readonly noun?: 'link' | 'tag';
}

/** Throws a UsageError, before anything is sent, if `--max-affected` is exceeded. */
export function refuseTooMany(
  count: number,
  { global: { maxAffected } }: Invocation,
  { orMore = false, noun = 'link' }: Counted = {},
): void {
  if (maxAffected === undefined || count <= maxAffected) return;
  throw new UsageError(
    `${orMore ? 'at least ' : ''}${quantity(count, noun)} would be affected, more than --max-affected ${maxAffected}; nothing was changed`,
  );
}

/** Throws a UsageError, before any link is read, if nobody can answer the question and the flags do not replace the answer. */
export async function requireAnswer(
  invocation: Invocation,
  way: 'named' | 'rewrite' | `tags ${'delete' | 'merge'}` | `--${string}`,
): Promise<void> {
  const { yes, dryRun, maxAffected } = invocation.global;
  if (dryRun || canAsk(invocation)) return;
  if (way === 'named' || maxAffected !== undefined) return await confirm('', invocation);
  // What is missing is named at once.
  const [missing, flags] = yes ? [`--max-affected required with ${way}`, ''] : ['--yes required', '--yes '];
  throw new UsageError(`${missing} when not running interactively`, {
    hint: `add ${flags}--max-affected <n>; --dry-run shows how many links match`,
  });
}
