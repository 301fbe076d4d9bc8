import { capitalized } from '../base/capitalized.ts';
import { rowBatches } from '../bulk/operations/cut-input.ts';
import type { RunInput } from '../bulk/run-plan.ts';
import { confirm, confirmCount } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { namedUrls } from '../client/named-urls.ts';
import { enumerated, type LinkKey, linkText } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { editText } from './field-changes.ts';
import type { ChangePlan } from './plan.ts';
import { shownLinks } from './plan-lines.ts';
import { clicks, describedParts, shortUrlText } from './plan-screen.ts';
import type { PlannedLink } from './planned-links.ts';

/** One of the URLs that a change selects; it does not exist if it has no record. */
export interface AffectedUrl {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
}

/** URLs that a question shows, of however many (B56). */
export const shownUrls = shownLinks;

/** From so many links on their number is typed instead of a yes (B56). */
export const typedFrom = 100;

/** What is asked below a plan. */
export interface PlanQuestion {
  /** The first word of the question: `Delete`. */
  readonly verb: string;
  /** How it is answered however small the plan is; without it, by the tiers of B56. */
  readonly always?: 'typed number' | undefined;
  /** How the account belongs to the links: `of` it without this. */
  readonly preposition?: 'of' | 'to' | undefined;
  /** Links are made, changed and deleted: then the question says how many of each, `Create 2, change 60 and delete 3 links`. */
  readonly namesKinds?: boolean;
}

/**
 * Shows the plan, and asks by the tiers of B56; `--yes` has answered. Where only one link was named, it is part of the question.
 * Nothing is asked where nothing would be changed.
 */
export async function consentToPlan(plan: ChangePlan, asked: PlanQuestion, session: Session): Promise<void> {
  const { verb, always, preposition = 'of', namesKinds } = asked;
  const { planned } = plan.counts;
  const { yes, quiet } = session.global;
  const place = whereabouts(session, plan.domains);
  if (plan.only && planned === 1 && !always && !namesKinds && !yes) {
    await session.streams.message(`${place}:`);
    return await confirm(`${verb} ${onlyText(plan.only, session)}?`, session);
  }
  if (!(yes && quiet)) await showPlan(plan, session);
  if (yes || planned === 0) return;
  const question = `${changesText(plan, asked)} ${preposition} ${place}?`;
  await (planned < typedFrom && !always ? confirm(question, session) : confirmCount(question, planned, session));
}

/** Prints a plan on stderr (W2), what differs in colour where there is any (B96). */
export async function showPlan(plan: ChangePlan, { streams }: Pick<Session, 'streams'>): Promise<void> {
  const { red, green, underline } = await streams.paint('stderr');
  const marks = { before: (text: string) => red(underline(text)), after: (text: string) => green(underline(text)) };
  for (const line of plan.lines(streams.coloured('stderr') ? marks : undefined)) await streams.message('', line);
}

function changesText({ counts: { planned }, countOf }: ChangePlan, { verb, namesKinds }: PlanQuestion): string {
  if (!namesKinds) return `${verb} ${quantity(planned, 'link')}`;
  const kinds = (['create', 'change', 'delete'] as const).filter((kind) => countOf(kind) > 0);
  const words = kinds.map((kind) => `${kind} ${grouped(countOf(kind))}`);
  const text = enumerated(words, 'and', words.length);
  return `${capitalized(text)} ${text.endsWith(' 1') ? 'link' : 'links'}`;
}

/** `s.ex/abc -> https://… (1,204 clicks)`, of an edit `s.ex/abc: note: "a" -> "b"`. */
function onlyText({ outcome, record, target }: PlannedLink, session: Session): string {
  if (!record) return outcome.kind === 'copy' ? `${linkText(target)} -> ${outcome.fields.long_url}` : linkText(target);
  if (outcome.kind !== 'change') return describe({ target, record }, outcome.kind === 'reset', session);
  return `${shortUrlText(record, session)}: ${editText(outcome.fields, record)}`;
}

/** The counters that are lost, of the first links, which it returns; for where nothing is asked. */
export async function noteCounters(
  { open, rows }: Pick<RunInput<LinkKey>, 'open' | 'rows'>,
  session: Session,
): Promise<readonly AffectedUrl[]> {
  const first: AffectedUrl[] = [];
  for await (const some of rowBatches({ open }, shownUrls)) {
    const targets = some.map(({ item }) => item);
    for await (const url of namedUrls(session.client, targets, shownUrls)) first.push(url);
    break;
  }
  await tellCounters(first, rows, session);
  return first;
}

async function tellCounters(first: readonly AffectedUrl[], count: number, session: Session): Promise<void> {
  for (const { record } of first) {
    if (record) await session.note(`${shortUrlText(record, session)}: ${clicks(record, true)}, will be erased`);
  }
  if (count > first.length) await session.note(`${session.streams.glyphs.ellipsis} and ${grouped(count - first.length)} more`);
}

/** `https://s.ex/abc -> https://… (1,204 clicks)`. */
function describe({ record, target }: AffectedUrl, withUnique: boolean, session: Session): string {
  if (!record) return `${linkText(target)} (not found)`;
  return describedParts(record, session, withUnique).join('');
}
