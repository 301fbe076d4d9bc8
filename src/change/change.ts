import type { BulkOperation, OperationKind } from '../bulk/operations/operation.ts';
import type { OperationSettings, RunInput, RunPlan, RunSteps } from '../bulk/run-plan.ts';
import type { TagChange } from '../bulk/tag-run.ts';
import type { LinkDomains, LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { RunFlags } from '../flags/field-flags.ts';
import type { PlannedRequest } from '../output/planned-requests.ts';
import type { RowsReport } from '../output/report.ts';
import type { SelectedLink, SelectedLinks } from '../select/selected-links.ts';
import type { LinkSelection, SelectionOptions } from '../select/selection-flags.ts';
import type { PlannedOutcome } from './decide/outcome.ts';
import type { ChangePlan, MakeItem, PlanVerb } from './plan/plan.ts';

export interface Question {
  /** The first word of the question: `Delete`. */
  readonly verb: string;
  /** Without it, the number of links decides how it is answered. */
  readonly always?: 'typed number' | undefined;
  /** Between the links and the account; `of` without it. */
  readonly preposition?: 'of' | 'to' | undefined;
  /** Links are made, changed and deleted: then the question says how many of each, `Create 2, change 60 and delete 3 links`. */
  readonly namesKinds?: boolean;
  /** The counters are what is lost: they are shown even where nothing is asked. */
  readonly erasesCounters?: boolean;
  /** Not asked of typed links, and of a file only where somebody can answer: existing scripts keep working. */
  readonly isOptional?: boolean;
}

export type RunPresentation = Pick<RowsReport, 'key' | 'columns' | 'tableFields' | 'pipedFields' | 'sentence'> & {
  /** For the header: `shortening`. */
  readonly doing: string;
  readonly domains?: LinkDomains | undefined;
  /** The command that undoes the run, where it is not `linkctl undo`. */
  readonly undoneBy?: string;
  /** Replaces the line about undoing: an undo can be redone. */
  readonly undoLine?: string;
  readonly ignoreMissing?: boolean | undefined;
};

interface Change {
  readonly verb: PlanVerb;
  /** The command as people read it: `rewrite https://a.example -> https://b.example`. */
  readonly what: string;
  readonly question: Question;
  readonly options: BulkOptions;
  readonly presentation: RunPresentation;
  operation(settings: OperationSettings): BulkOperation<LinkKey>;
}

/** A change of rows that name their links: these are read for the plan, or right before they are changed. */
export interface NamedChange extends Change {
  readonly input: RunInput;
  /** The domains of the links, as far as they are named. */
  readonly domains: LinkDomains;
  readonly fromArguments?: boolean;
  payload(item: object): LinkKey;
  decide(payload: LinkKey, record: UrlRecord | undefined): PlannedOutcome;
  /** Beside the rows all that the change depends on. */
  readonly flags?: Pick<RunPlan, 'options' | 'recall'> | undefined;
  /** The columns of the input, for `--failed`. */
  readonly columns: readonly string[];
  /** The fields that every link is given, for messages about it. */
  readonly fields?: EditFields | undefined;
}

/** A change of links that the tool finds itself: by tags, a search, a filter, on two sides, or by what a run did. */
export interface ListedChange extends Change {
  readonly links: Omit<SelectedLinks, 'given' | 'filter'>;
  /** All that decides what is done to which links, as it was typed: the same command resumes the run. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly kind: OperationKind;
  decide(link: SelectedLink): PlannedOutcome;
  /** Without it, the item that is sent for a link is its name with the fields that it gets. */
  readonly payload?: MakeItem;
  /** Gets the whole plan, and throws for a change that its author cannot have meant. */
  inspect?(plan: ChangePlan): void;
  /** All that was read is compared again at sending, however short a time passed. */
  readonly comparesAgain?: boolean;
  /** The run that this one undoes, on the domain on which it was. */
  readonly undoes?: { readonly run: string; readonly direction: RunPlan['direction']; readonly domain: string | undefined };
  /** Tags that are added besides, known when the links were read. */
  newTags?(): readonly string[];
  /** Instead of calls for links, the one call for all of them. */
  readonly request?: PlannedRequest;
  /** Steps about the tags of the account in the same run, before the links and after them. */
  readonly tags?: (RunSteps & { readonly change: TagChange }) | undefined;
}

/** The same change of all links of a selection. */
export interface LinkChange {
  readonly selection: LinkSelection;
  readonly options: SelectionOptions & BulkOptions;
  readonly presentation: RunPresentation;
  readonly command: string;
  readonly verb: 'change' | 'delete' | 'reset';
  readonly question: Question;
  readonly fields?: EditFields;
  readonly flags?: RunFlags;
  operation(settings: OperationSettings): BulkOperation<LinkKey>;
  /** The flags that begin a run, for the message that refuses flags of runs beside `--by-tags --no-undo`. */
  readonly files?: string;
  /** The API's own call for a tag expression (4.3.8), where it can make the change. */
  readonly oneCall: OneCall | undefined;
}

interface OneCall {
  readonly method: string;
  readonly path: string;
  /** For the sentence about it: `Deleted`. */
  readonly done: string;
  send(query: { readonly tags: string }): Promise<unknown>;
}
