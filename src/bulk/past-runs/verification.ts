import { UsageError } from '../../base/errors.ts';
import { urlsByHash } from '../../client/named-urls.ts';
import type { EditFields } from '../../contract/operations.ts';
import { fieldsSincePrinted, valuePrints } from '../../link/prints.ts';
import { notApplied } from '../../link/same.ts';
import { keptImages } from '../journal/images.ts';
import { readJournal } from '../journal/line-reader.ts';
import type { BeginLine, ResultLine } from '../journal/lines.ts';
import { linksOf, resultsOf, statusesOf } from '../journal/recorded-results.ts';
import { foldRun } from '../journal/run-folder.ts';
import type { ChangeSettings } from '../operations/named-links.ts';
import { noRun } from '../runs.ts';
import { movedHashes, touchesAny } from './done-change.ts';
import { type RunFolders, runRecord } from './run-names.ts';

/** A link that differs from what the run left. */
interface Discrepancy {
  readonly hash: string;
  readonly problem: 'missing' | 'changed';
  /** The current destination of a changed link. */
  readonly long_url?: string | undefined;
}

/** Returns the fields that an edit requested; undefined if they are not recorded, or hashes moved between links. */
type AskedOf = (row: number) => Promise<EditFields | undefined>;

/** Returns true if the links that the run created or changed can be read back. */
export function leavesLinks({ operation }: Pick<BeginLine, 'operation'>): boolean {
  return operation === 'shorten' || operation === 'edit' || operation === 'apply';
}

/** Reads all links that a run created or changed, in groups. Changes nothing. */
export async function* verifyRun(folders: RunFolders, run: string, settings: Omit<ChangeSettings, 'domain'>) {
  const record = runRecord(run, folders);
  const { begin, locationOf } = (await foldRun(run, folders)) ?? noRun(run);
  if (!leavesLinks(begin)) {
    throw new UsageError(`run ${run} left no links that could be read back: there is nothing to verify`);
  }
  const images = await keptImages(record, begin.input.rows);
  const moved = begin.operation === 'edit' ? await movedHashes(() => images.backwards()) : new Set<string>();
  const askedOf: AskedOf = async (row) => {
    const image = await images.of(row);
    if (!image?.record || touchesAny(image, moved)) return undefined;
    const { hash: _, domain: __, ...asked } = image.payload;
    return asked;
  };
  try {
    for await (const { line, offset } of readJournal(record.journal)) {
      // The rows of a line are of the same kind, and deleted links cannot be read.
      if (line.type !== 'result' || statusesOf(line).includes('deleted')) continue;
      // The probe sends the first rows of a keyed run twice; the later line counts.
      const isLatest = locationOf(line.rows[0]?.[0] ?? 0).offset === offset;
      if (isLatest) yield await verifyLine(line, askedOf, { ...settings, domain: begin.domain });
    }
  } finally {
    await images.close();
  }
}

/**
 * Finds missing links, and links whose recorded or requested fields have other values. A link that was not created as requested only has to
 * exist. Counts links of which only the destination is recorded.
 */
async function verifyLine(line: ResultLine, askedOf: AskedOf, settings: ChangeSettings) {
  const links = linksOf(line);
  const hashes = links.map(({ hash }) => hash);
  const found = await urlsByHash(hashes, { ...settings, domain: line.domain ?? settings.domain });
  const done = line.hashes ? [...resultsOf(line)].filter(([, { status }]) => status !== 'failed') : [];
  const values = valuePrints(line.values, done.length);
  const discrepancies: Discrepancy[] = [];
  let onlyDestination = 0;
  for (const [nth, { hash, print }] of links.entries()) {
    const record = found.get(hash);
    if (!record) {
      discrepancies.push({ hash, problem: 'missing' });
      continue;
    }
    const [row] = done[nth] ?? [];
    const asked = row === undefined || line.values ? undefined : await askedOf(row);
    if (row !== undefined && !line.values && !asked) onlyDestination += 1;
    const since = [
      ...fieldsSincePrinted({ long_url: print, ...values[nth] }, record),
      ...notApplied(asked ?? {}, record, 'instructions'),
    ];
    if (since.length > 0) discrepancies.push({ hash, problem: 'changed', long_url: record.long_url });
  }
  return { checked: links.length, onlyDestination, discrepancies };
}
