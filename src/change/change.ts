import type { BulkOperation } from '../bulk/operations/operation.ts';
import type { OperationSettings, RunPlan } from '../bulk/run-plan.ts';
import type { LinkKey } from '../contract/link.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { RunFlags } from '../flags/field-flags.ts';
import type { LinkSelection, SelectionOptions } from '../flags/selection-flags.ts';
import type { NamedHashes } from '../input/named-targets.ts';
import type { Question } from './limits.ts';
import type { ChangeOfLinks } from './plan/requests.ts';
import type { RunPresentation } from './report.ts';

/** The same change of every URL that is named, by operands or by a file of hashes. */
export interface NamedChange extends ChangeOfLinks {
  readonly selection: NamedHashes;
  readonly options: BulkOptions & { readonly ignoreMissing?: boolean };
  readonly presentation: RunPresentation;
  readonly asks: Question;
  /** Beside the hashes all that the change depends on (J8). */
  readonly flags?: Pick<RunPlan<object>, 'options' | 'recall'>;
  operation(settings: Omit<OperationSettings, 'mayCall'>): BulkOperation<LinkKey>;
}

/** One change of links that exist, however they are selected. */
export interface LinkChange extends Omit<NamedChange, 'selection' | 'options'> {
  readonly flags?: RunFlags;
  readonly selection: LinkSelection;
  readonly options: SelectionOptions & NamedChange['options'];
  /** How the command is called: `edit`. */
  readonly command: string;
  /** The flags that begin a run, for the message that refuses flags of runs beside `--by-tags --no-undo`. */
  readonly files?: string;
  /** Whether the API can make the change in one call for a tag expression (4.3.8). */
  readonly isOneCall?: boolean;
  /** What that call did: `Deleted`. */
  readonly done: string;
  sendSelected(query: { readonly tags: string }): Promise<unknown>;
}

/** What runs are listed as. */
export function nameOf({ verb }: NamedChange): string {
  return verb === 'change' ? 'edit' : verb;
}

export const same = (link: LinkKey): LinkKey => link;
