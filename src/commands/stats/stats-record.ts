import { NotFoundError, PartialError } from '../../base/errors.ts';
import type { Session } from '../../cli/session.ts';
import { historyPaths } from '../../history/history-database.ts';
import { type RecordedReading, startRecording } from '../../history/recording.ts';
import { grouped, quantity } from '../../output/quantity.ts';
import type { DoneReport } from '../../output/report.ts';
import { selectLinks } from '../../select/link-selection.ts';
import { absenceText } from '../../select/named-rows.ts';
import { recordPages } from '../../select/record-pages.ts';
import { type CountedLinks, defaultDomain, scopeOf } from './period-clicks.ts';

/** Writes a complete reading or none. Throws a `NotFoundError` if none of the selected links exists. */
export async function recordStats(counted: CountedLinks, session: Session): Promise<DoneReport> {
  const { client, system, atEnd } = session;
  const links = await selectLinks(counted.selection, counted.options, session, 'record');
  const recording = await startRecording(
    client.identity,
    { scope: scopeOf(counted, session), edition: session.edition, defaultDomain: await defaultDomain(session) },
    system,
  );
  atEnd(async () => recording.discard());
  let missing = 0;
  for await (const page of recordPages(links, session)) {
    recording.add(page.records);
    missing += page.missing.length;
  }
  const absent = missing > 0 && links.kind === 'named' ? absenceText(missing, links.count) : undefined;
  if (absent !== undefined && recording.links() === 0) throw new NotFoundError(`${absent}; nothing was recorded`);
  return doneReport(recording.finish(), absent, historyPaths(client.identity, system).file);
}

function doneReport({ links, counted, added, gone }: RecordedReading, absent: string | undefined, folder: string): DoneReport {
  const parts = [`${grouped(counted)} changed`, `${grouped(added)} new`, ...(gone > 0 ? [`${grouped(gone)} gone`] : [])];
  return {
    kind: 'done',
    sentence: `Recorded the counters of ${quantity(links, 'link')}: ${parts.join(', ')}`,
    record: { recorded: { links, changed: counted, new: added, gone }, history: folder },
    outcome: () => (absent === undefined ? undefined : new PartialError(absent)),
  };
}
