import { folders } from '../base/system.ts';
import { rowBatches } from '../bulk/operations/cut-input.ts';
import type { RunInput, RunRow } from '../bulk/run-plan.ts';
import { canAsk } from '../cli/prompt.ts';
import type { Session } from '../cli/session.ts';
import { type LinkKey, linkText } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { KeptRows } from '../input/kept-rows.ts';
import { type AffectedUrl, consentToPlan, noteCounters } from './consent.ts';
import type { Question } from './consent-limits.ts';
import { startPlan } from './plan.ts';
import { losses } from './plan-lines.ts';
import { plannedLinks } from './plan-report.ts';
import type { PlannedOutcome, PlanVerb } from './planned-links.ts';

/** Rows with their links, where they were read. */
export type ReadableRows<Item extends object> = Pick<RunInput<Item>, 'rows' | 'open' | 'readAt'>;

/** A change of named links, which is shown before it is made. */
export interface NamedRows<Item extends LinkKey> {
  readonly input: ReadableRows<Item>;
  readonly asks: Question;
  readonly verb: PlanVerb;
  outcomeOf(item: Item, record: UrlRecord | undefined): PlannedOutcome;
  /** Links that are read in one call. */
  readonly batchSize: number;
}

/** Where rows wait for the answer. */
interface Keep<Row> {
  add(rows: readonly Row[]): void;
  read(): Iterable<readonly Row[]>;
}

/**
 * Reads the links of all rows, shows what would be done to them and asks (B56, W3). What was read comes back with the rows, on the disk
 * where they are many, so that nothing is read twice (U1). The input stays as it is where nothing is asked.
 */
export async function consentToRows<Item extends LinkKey>(
  { input, asks, verb, outcomeOf, batchSize }: NamedRows<Item>,
  session: Session,
): Promise<ReadableRows<Item>> {
  const { global, system } = session;
  if (global.yes && verb === 'delete') await session.note(losses.delete);
  const readAt = system.elapsed();
  if (global.yes && asks.erasesCounters) return withLinks(input, await noteCounters(input, session), readAt);
  if (global.yes || (asks.isOptional && !canAsk(session))) return input;
  const plan = startPlan({ verb, session });
  const read = async (items: readonly Item[]) => {
    const records: (UrlRecord | null)[] = [];
    for await (const links of plannedLinks([items], outcomeOf, { client: session.client, batchSize })) {
      for (const link of links) plan.add(link);
      records.push(...links.map(({ record }) => record ?? null));
    }
    return records;
  };
  const rows = await linksReadFor({ input, batchSize, read }, session);
  await consentToPlan(plan, asks, session);
  return rows;
}

/** Rows whose links are to be read. */
interface UnreadRows<Item extends object> {
  readonly input: ReadableRows<Item>;
  readonly batchSize: number;
  /** The links of some rows; null for one that does not exist, undefined for a row that names none. */
  read(items: readonly Item[]): Promise<readonly (UrlRecord | null | undefined)[]>;
}

/** The rows with their links, which wait on the disk where they are many. */
export async function linksReadFor<Item extends object>(
  { input, batchSize, read }: UnreadRows<Item>,
  session: Session,
): Promise<ReadableRows<Item>> {
  const readAt = session.system.elapsed();
  const kept: Keep<RunRow<Item>> = input.rows > batchSize ? keptOnDisk(session) : keptInMemory();
  let count = 0;
  for await (const rows of rowBatches(input, batchSize)) {
    const sent = rows.filter(({ skip }) => skip === undefined);
    const links = await read(sent.map(({ item }) => item));
    const linkOf = new Map(sent.map((row, nth) => [row, links[nth]]));
    kept.add(rows.map((row) => ({ ...row, before: row.before === undefined ? linkOf.get(row) : row.before })));
    count += rows.length;
    session.streams.progress.step(() => `${count}/${input.rows} links read`);
  }
  return { rows: input.rows, open: () => kept.read(), readAt };
}

/** The rows with what was read of them, where that was all of them. */
function withLinks<Item extends LinkKey>(
  input: ReadableRows<Item>,
  links: readonly AffectedUrl[],
  readAt: number,
): ReadableRows<Item> {
  if (links.length < input.rows) return input;
  const records = new Map(links.map(({ target, record }) => [linkText(target), record ?? null]));
  async function* open(): AsyncGenerator<readonly RunRow<Item>[]> {
    for await (const rows of input.open()) yield rows.map((row) => ({ ...row, before: records.get(linkText(row.item)) }));
  }
  return { rows: input.rows, open, readAt };
}

function keptOnDisk<Row>({ system, atEnd }: Session): Keep<Row> {
  const kept = new KeptRows<Row>(folders(system).state, system);
  atEnd(async () => kept.close());
  return kept;
}

function keptInMemory<Row>(): Keep<Row> {
  const kept: (readonly Row[])[] = [];
  return { add: (rows) => void kept.push(rows), read: () => kept };
}
