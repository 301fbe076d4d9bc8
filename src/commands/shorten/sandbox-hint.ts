import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from '../../base/system.ts';
import type { Session } from '../../cli/session.ts';
import type { RowsReport } from '../../output/report.ts';
import { sandboxName } from '../../profiles/profile-name.ts';

/** Adds a hint once per sandbox, only on a terminal and only if links were created. */
export function withSandboxHint(report: RowsReport, session: Session): RowsReport {
  const { profile, global, streams, edition } = session;
  if (profile !== sandboxName || global.quiet || global.dryRun || !streams.terminal || !streams.watched) return report;
  const hint = `to make links of the sandbox work, run linkctl serve${edition === 'b' ? ' --edition b' : ''} in another terminal`;
  const isDue = (): boolean => report.outcome?.() === undefined && isFirst(session);
  return { ...report, notes: () => [...(report.notes?.() ?? []), ...(isDue() ? [hint] : [])] };
}

/** Creates a marker file, so that the hint appears once. */
function isFirst({ system, edition }: Session): boolean {
  try {
    writeFileSync(join(folders(system).data, `hint-shown-${edition}`), '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    // The marker exists, or cannot be written and the hint would be repeated forever.
    return false;
  }
}
