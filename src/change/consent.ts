import { capitalized } from '../base/quoted.ts';
import { rowBatches } from '../bulk/operations/batches.ts';
import type { RunInput, RunRow } from '../bulk/run-plan.ts';
import { canAsk, confirm, confirmCount } from '../cli/prompt.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { enumerated, type LinkDomains, linkText } from '../contract/link.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { accountLabel } from './account-label.ts';
import type { NamedChange, Question } from './change.ts';
import { editText, type PlannedLink } from './decide/outcome.ts';
import { ChangePlan, decidedLinks } from './plan/plan.ts';
import { clicks, describedParts, shortUrlText } from './plan/screen.ts';
import { losses, lossLines, planLines, shownLinks } from './plan/text.ts';
import { recordsOf } from './rows/named-records.ts';
import { type ReadableRows, withLinksRead } from './rows/read-links.ts';

/** From this number of links on, the answer is the number instead of yes. */
const typedFrom = 100;

/** Asks for a yes, or for the number of links if there are many. `--yes` answers both. */
export async function askFor(
  question: string,
  count: number,
  session: Session,
  always: Question['always'] = undefined,
): Promise<void> {
  await (count < typedFrom && !always ? confirm(question, session) : confirmCount(question, count, session));
}

/** Shows the plan and asks, unless nothing would be changed. A single link is part of the question. */
export async function consentToPlan(plan: ChangePlan, asked: Question, session: Session): Promise<void> {
  const { verb, always, preposition = 'of', namesKinds } = asked;
  const { planned } = plan;
  const { yes, quiet } = session.global;
  const account = await accountInQuestion(plan.domains, session);
  if (plan.only && planned === 1 && !always && !namesKinds && !yes) {
    for (const line of lossLines(plan)) await session.streams.note(line);
    await session.streams.message(`${account}:`);
    // An undo of several kinds of changes says so of a single link that it deletes.
    const word = plan.only.outcome.kind === 'delete' ? 'Delete' : verb;
    return await confirm(`${word} ${onlyText(plan.only, session)}?`, session);
  }
  if (!(yes && quiet)) await showPlan(plan, session);
  if (yes || planned === 0) return;
  await askFor(`${changesText(plan, asked)} ${preposition} ${account}?`, planned, session, always);
}

/** Names the domain of an account that has several, also if it is the default. Sends no request. */
export async function accountInQuestion(domains: LinkDomains, session: Session): Promise<string> {
  const own = await session.askedDomains();
  const usual = own && own.names.length > 1 ? own.defaultDomain : undefined;
  return accountLabel({ client: session.client, domain: session.domain ?? usual }, domains);
}

/** Prints a plan on stderr, with differences in colour if stderr has colours. */
export async function showPlan(plan: ChangePlan, { streams }: Pick<Session, 'streams'>): Promise<void> {
  const { red, green, underline } = await streams.paint('stderr');
  const marks = { before: (text: string) => red(underline(text)), after: (text: string) => green(underline(text)) };
  for (const line of planLines(plan, streams.coloured('stderr') ? marks : undefined)) {
    // Only indented lines have styles.
    await (line.startsWith(' ') ? streams.message('', line) : streams.note(line));
  }
}

function changesText({ planned, countOf }: ChangePlan, { verb, namesKinds }: Question): string {
  if (!namesKinds) return `${verb} ${quantity(planned, 'link')}`;
  const kinds = (['create', 'change', 'delete'] as const).filter((kind) => countOf(kind) > 0);
  const words = kinds.map((kind) => `${kind} ${grouped(countOf(kind))}`);
  const text = enumerated(words, 'and');
  return `${capitalized(text)} ${text.endsWith(' 1') ? 'link' : 'links'}`;
}

/** `s.ex/abc -> https://… (1,204 clicks)`; for an edit, `s.ex/abc: note: "a" -> "b"`. */
function onlyText({ outcome, record, target }: PlannedLink, session: Session): string {
  const isNew = outcome.kind === 'copy' || outcome.kind === 'create';
  if (!record) return isNew ? `${linkText(target)} -> ${outcome.fields.long_url}` : linkText(target);
  if (outcome.kind !== 'change') return describedParts(record, session, outcome.kind === 'reset').join('');
  return `${shortUrlText(record, session)}: ${editText(outcome.fields, record)}`;
}

/**
 * Returns the rows with the links that were read for the question, so that no link is read twice. `foresee` returns the run that would be
 * resumed, if any: if it has sent all its rows, nothing is asked.
 */
export async function consentToRows(
  change: NamedChange,
  foresee: () => Promise<{ readonly run: string; readonly unsent: number } | undefined>,
  session: Session,
): Promise<ReadableRows & Pick<RunInput, 'resumed'>> {
  const { input, question, verb, options } = change;
  const { yes } = session.global;
  if (yes && verb === 'delete') await session.note(losses.delete);
  if (yes ? !question.erasesCounters : question.isOptional && !canAsk(session)) return input;
  const found = await foresee();
  // No other run may start without a question.
  if (found?.unsent === 0) return { ...input, resumed: { run: found.run } };
  if (yes) return await noteCounters(change, session);
  const plan = new ChangePlan(verb, session, input.skipped);
  const batchSize = batchSizeOf(session, options.batchSize);
  const read = async (all: readonly RunRow[]) => {
    const links = await decidedLinks(all, change, { ...session, batchSize });
    plan.add(links);
    return links.map(({ record }) => record ?? null);
  };
  const rows = await withLinksRead(input, batchSize, read, session);
  await consentToPlan(plan, question, session);
  return rows;
}

/** Prints the counters of the first links, which are lost. Returns the rows with their links if these are all. */
async function noteCounters({ input, payload }: Pick<NamedChange, 'input' | 'payload'>, session: Session): Promise<ReadableRows> {
  await session.note(losses.reset);
  const read = async (rows: readonly RunRow[]) => {
    const targets = rows.map(({ item }) => payload(item));
    const find = await recordsOf(session.client, targets, shownLinks);
    const links = targets.map(find);
    for (const record of links) {
      if (record) await session.note(`${shortUrlText(record, session)}: ${clicks(record, true)}, will be erased`);
    }
    return links.map((record) => record ?? null);
  };
  if (input.rows <= shownLinks) return await withLinksRead(input, shownLinks, read, session);
  for await (const rows of rowBatches(input, shownLinks)) {
    await read(rows);
    break;
  }
  await session.note(`${session.streams.glyphs.ellipsis} and ${grouped(input.rows - shownLinks)} more`);
  return input;
}
