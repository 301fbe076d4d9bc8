import type { BulkOperation, Call, OperationKind } from '../bulk/operations/operation.ts';
import type { OperationSettings, RunInput, RunPlan, RunSteps } from '../bulk/run-plan.ts';
import type { TagChange } from '../bulk/tag-run.ts';
import type { LinkDomains, LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import type { PlannedRequest } from '../output/planned-requests.ts';
import type { RowsReport } from '../output/report.ts';
import type { SelectedLink, SelectedLinks } from '../select/selected-links.ts';
import type { LinkSelection, SelectionOptions } from '../select/selection-flags.ts';
import type { PlannedOutcome } from './decide/outcome.ts';
import type { ChangePlan, DecidableRows, MakeItem, PlanVerb } from './plan/plan.ts';
import type { Pending } from './rows/pending.ts';

export interface Question {
  /** The first word of the question: `Delete`. */
  readonly verb: string;
  /** By default, the number of links decides how the question is answered. */
  readonly always?: 'typed number' | undefined;
  /** Stands between the links and the account; `of` by default. */
  readonly preposition?: 'of' | 'to' | undefined;
  /** The question counts each kind of change: `Create 2, change 60 and delete 3 links`. */
  readonly namesKinds?: boolean;
  /** The change erases counters, so they are shown even with `--yes`. */
  readonly erasesCounters?: boolean;
  /** Not asked for typed links, and for a file only if someone can answer, so that existing scripts keep working. */
  readonly isOptional?: boolean;
}

export type RunPresentation = Pick<RowsReport, 'key' | 'columns' | 'tableFields' | 'pipedFields' | 'sentence'> & {
  /** For the header: `shortening`. */
  readonly doing: string;
  readonly domains?: LinkDomains | undefined;
  /** Says how to undo a run, or to redo an undo; by default `to undo it: linkctl undo <run>`. */
  undoLine?(run: string): string;
  readonly ignoreMissing?: boolean | undefined;
};

interface Change {
  readonly verb: PlanVerb;
  /** The command as shown in messages: `rewrite https://a.example -> https://b.example`. */
  readonly what: string;
  readonly question: Question;
  readonly options: BulkOptions;
  readonly presentation: RunPresentation;
  operation(settings: OperationSettings): BulkOperation<LinkKey>;
}

/** A change of rows that name their links. The links are read for the plan, or right before they are changed. */
export interface NamedChange extends Change, DecidableRows {
  readonly input: RunInput;
  readonly domains: LinkDomains;
  readonly fromArguments?: boolean;
  /** Everything besides the rows that the change depends on. */
  readonly flags?: Pick<RunPlan, 'options' | 'restoreOptions'> | undefined;
  /** The columns of the input, for `--failed`. */
  readonly columns: readonly string[];
  /** Fields that every link gets, for messages. */
  readonly fields?: EditFields | undefined;
}

/** A change of links from a selection, a comparison of two sides, or the record of a run. */
export interface ListedChange extends Change {
  readonly links: Omit<SelectedLinks, 'given' | 'filter'>;
  /** Everything as typed that determines the links and their change. The same command resumes the run by it. */
  readonly given: Readonly<Record<string, unknown>>;
  /** For its warnings: the stored items have the values of the day on which the run began. */
  readonly restoreOptions?: RunPlan['restoreOptions'];
  readonly kind: OperationKind;
  decide(link: SelectedLink): PlannedOutcome;
  /** Makes the item to send; by default the key of the link with its new fields. */
  readonly payload?: MakeItem;
  /** Receives the complete plan. May throw to refuse the change. */
  inspect?(plan: ChangePlan): void;
  /** A file of rows names the links: those that need no change are counted. */
  readonly isOfFile?: boolean;
  /** Reads and compares every link again right before its change, however recently it was read. */
  readonly rereads?: boolean;
  /** For an undo: the run that it undoes, and the rows of that in doubt. */
  readonly undoing?: Pick<RunPlan, 'undoes' | 'direction' | 'undoneSize' | 'kept'> & { readonly pending: Pending };
  /** For dry runs: the single request that replaces those for links. */
  readonly request?: PlannedRequest;
  /** Changes the account's tags in the same run, before and after the links. `change` is complete after the links were read. */
  readonly tags?: (RunSteps & { readonly change: TagChange | undefined }) | undefined;
}

/** One change for all links of a selection. */
export interface LinkChange extends Omit<Change, 'what'> {
  readonly selection: LinkSelection;
  readonly options: SelectionOptions & BulkOptions;
  readonly command: string;
  readonly verb: 'change' | 'delete' | 'reset';
  readonly fields?: EditFields;
  readonly flags?: RunFlags;
  /** The flags that start a run, for the error about run flags combined with `--by-tags --no-undo`. */
  readonly files?: string;
  /** The API call for a tag expression (4.3.8); undefined if it cannot make the change. */
  readonly oneCall: OneCall | undefined;
}

interface OneCall {
  /** The verb of the result: `Deleted`. */
  readonly done: string;
  request(query: { readonly tags: string }): Call<'deleteUrls' | 'resetSelectedStats' | 'editSelectedUrls'>;
}
