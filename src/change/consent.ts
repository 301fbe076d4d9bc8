import { capitalized } from '../base/quoted.ts';
import { rowBatches } from '../bulk/operations/cut-input.ts';
import { canAsk, confirm, confirmCount } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { recordsOf } from '../client/named-urls.ts';
import { enumerated, type LinkKey, linkText } from '../contract/link.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { SelectedLink } from '../select/selected-links.ts';
import type { ListedChange, NamedChange, Question } from './change.ts';
import { editText } from './decide/edit.ts';
import { decidedLinks, decidedPages } from './decide/links.ts';
import type { PlannedLink } from './plan/outcome.ts';
import { type ChangePlan, startPlan } from './plan/plan.ts';
import { clicks, describedParts, shortUrlText } from './plan/screen.ts';
import { losses, planLines, shownLinks } from './plan/text.ts';
import { linksReadFor, type ReadableRows } from './rows/read-links.ts';

/** From so many links on their number is typed instead of a yes. */
const typedFrom = 100;

/** Asks for a yes, or for the number of links where they are many; `--yes` has answered. */
export async function askFor(
  question: string,
  count: number,
  session: Session,
  always: Question['always'] = undefined,
): Promise<void> {
  await (count < typedFrom && !always ? confirm(question, session) : confirmCount(question, count, session));
}

/**
 * Shows the plan, and asks. Where only one link was named, it is part of the question. Nothing is asked where nothing would be changed.
 */
export async function consentToPlan(plan: ChangePlan, asked: Question, session: Session): Promise<void> {
  const { verb, always, preposition = 'of', namesKinds } = asked;
  const { planned } = plan;
  const { yes, quiet } = session.global;
  const place = whereabouts(session, plan.domains);
  if (plan.only && planned === 1 && !always && !namesKinds && !yes) {
    await session.streams.message(`${place}:`);
    return await confirm(`${verb} ${onlyText(plan.only, session)}?`, session);
  }
  if (!(yes && quiet)) await showPlan(plan, session);
  if (yes || planned === 0) return;
  await askFor(`${changesText(plan, asked)} ${preposition} ${place}?`, planned, session, always);
}

/** Prints a plan on stderr, what differs in colour where there is any. */
export async function showPlan(plan: ChangePlan, { streams }: Pick<Session, 'streams'>): Promise<void> {
  const { red, green, underline } = await streams.paint('stderr');
  const marks = { before: (text: string) => red(underline(text)), after: (text: string) => green(underline(text)) };
  for (const line of planLines(plan, streams.coloured('stderr') ? marks : undefined)) await streams.message('', line);
}

function changesText({ planned, countOf }: ChangePlan, { verb, namesKinds }: Question): string {
  if (!namesKinds) return `${verb} ${quantity(planned, 'link')}`;
  const kinds = (['create', 'change', 'delete'] as const).filter((kind) => countOf(kind) > 0);
  const words = kinds.map((kind) => `${kind} ${grouped(countOf(kind))}`);
  const text = enumerated(words, 'and', words.length);
  return `${capitalized(text)} ${text.endsWith(' 1') ? 'link' : 'links'}`;
}

/** `s.ex/abc -> https://… (1,204 clicks)`, of an edit `s.ex/abc: note: "a" -> "b"`. */
function onlyText({ outcome, record, target }: PlannedLink, session: Session): string {
  if (!record) return outcome.kind === 'copy' ? `${linkText(target)} -> ${outcome.fields.long_url}` : linkText(target);
  if (outcome.kind !== 'change') return describedParts(record, session, outcome.kind === 'reset').join('');
  return `${shortUrlText(record, session)}: ${editText(outcome.fields, record)}`;
}

/** Reads a selection whole, shows what would be done to it and asks. `take` gets the links as they are read. */
export async function consentToLinks<Payload extends LinkKey, Link extends SelectedLink>(
  change: Pick<ListedChange<Payload, Link>, 'links' | 'decide' | 'verb' | 'question' | 'inspect'>,
  session: Session,
  take: (links: readonly PlannedLink[]) => void,
): Promise<ChangePlan> {
  const plan = startPlan({ verb: change.verb, session });
  for await (const { links, read } of decidedPages(change, session)) {
    for (const link of links) plan.add(link);
    take(links);
    plan.of = read;
    session.streams.progress.step(() => `${read} links read`);
  }
  change.inspect?.(plan);
  if (plan.count > 0) await consentToPlan(plan, change.question, session);
  return plan;
}

/**
 * Reads the links of all rows, shows what would be done to them and asks. What was read comes back with the rows, on the disk where they are
 * many, so that nothing is read twice. The input stays as it is where nothing is asked.
 */
export async function consentToRows<Payload extends LinkKey, Item extends object>(
  { input, question, verb, payload, decide, options }: NamedChange<Payload, Item>,
  session: Session,
): Promise<ReadableRows<Item>> {
  const { yes } = session.global;
  if (yes && verb === 'delete') await session.note(losses.delete);
  if (yes && question.erasesCounters) return await noteCounters({ input, payload }, session);
  if (yes || (question.isOptional && !canAsk(session))) return input;
  const plan = startPlan({ verb, session });
  const batchSize = batchSizeOf(session, options.batchSize);
  const read = async (items: readonly Item[]) => {
    const links = await decidedLinks(items.map(payload), decide, { client: session.client, batchSize });
    for (const link of links) plan.add(link);
    return links.map(({ record }) => record ?? null);
  };
  const rows = await linksReadFor(input, batchSize, read, session);
  await consentToPlan(plan, question, session);
  return rows;
}

/** Shows the counters that are lost, of the first links; where these are all, they come back with the rows. */
async function noteCounters<Payload extends LinkKey, Item extends object>(
  { input, payload }: Pick<NamedChange<Payload, Item>, 'input' | 'payload'>,
  session: Session,
): Promise<ReadableRows<Item>> {
  const readAt = session.system.elapsed();
  for await (const rows of rowBatches(input, shownLinks)) {
    const targets = rows.map(({ item }) => payload(item));
    const find = await recordsOf(session.client, targets, shownLinks);
    const links = targets.map((target) => find(target) ?? null);
    for (const record of links) {
      if (record) await session.note(`${shortUrlText(record, session)}: ${clicks(record, true)}, will be erased`);
    }
    if (input.rows <= rows.length) {
      return { rows: input.rows, open: () => [rows.map((row, nth) => ({ ...row, before: links[nth] }))], readAt };
    }
    await session.note(`${session.streams.glyphs.ellipsis} and ${grouped(input.rows - rows.length)} more`);
    break;
  }
  return input;
}
