import { tmpdir } from 'node:os';
import { orElse } from '../../base/errors.ts';
import { folders } from '../../base/system.ts';
import { rowBatches } from '../../bulk/operations/batches.ts';
import type { RunInput, RunRow } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import { KeptRows } from '../../files/kept-rows.ts';
import { grouped } from '../../output/quantity.ts';

/** Rows, with their links if these were read. */
export type ReadableRows<Item extends object = object> = Pick<RunInput<Item>, 'rows' | 'open' | 'readAt'>;

/** Reads the links of all rows. `before` is null for a missing link, and undefined for a row that names none. */
export async function withLinksRead<Item extends object>(
  input: ReadableRows<Item>,
  batchSize: number,
  read: (rows: readonly RunRow<Item>[]) => Promise<readonly RunRow['before'][]>,
  session: Session,
): Promise<ReadableRows<Item>> {
  const readAt = input.readAt ?? session.system.elapsed();
  const kept = keptRows<RunRow<Item>>(session);
  let count = 0;
  for await (const rows of rowBatches(input, batchSize)) {
    const sent = rows.filter(({ skip }) => skip === undefined);
    const links = await read(sent);
    const linkOf = new Map(sent.map((row, nth) => [row, links[nth]]));
    kept.add(rows.map((row) => ({ ...row, before: row.before === undefined ? linkOf.get(row) : row.before })));
    count += rows.length;
    session.streams.progress.step(() => `${grouped(count)}/${grouped(input.rows)} links read`);
  }
  return { rows: input.rows, open: () => kept.read(), readAt };
}

/**
 * Stores rows on disk until the command ends. What only reads also works if the state folder cannot be written: then the folder for temporary
 * files takes them.
 */
export function keptRows<Row>(
  { system, global, atEnd }: Pick<Session, 'system' | 'global' | 'atEnd'>,
  isOnlyRead = global.dryRun === true,
): KeptRows<Row> {
  const open = (folder: string): KeptRows<Row> => new KeptRows<Row>(folder, system);
  const { state } = folders(system);
  const kept = isOnlyRead ? (orElse(() => open(state), undefined) ?? open(tmpdir())) : open(state);
  atEnd(async () => kept.close());
  return kept;
}
