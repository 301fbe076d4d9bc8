import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import { readLaterRuns } from '../../bulk/past-runs/later-runs.ts';
import type { Session } from '../../cli/session.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import { foldersOf } from '../environment.ts';
import type { Located } from './exchanged-links.ts';
import { recordsOf } from './named-records.ts';

/** The links that a run renamed: by name, as in `linkText`, their new hash. */
interface Renames {
  readonly run: string;
  readonly hashes: ReadonlyMap<string, string>;
}

/** Returns a function that names the domain of a change of the run as the account names it now. */
export type DomainsOf = (run: DoneRun) => (change: Located['change']) => Promise<string | undefined>;

interface Reading {
  readonly batchSize: number;
  readonly domainsOf: DomainsOf;
}

/** Returns a function that says which links of a run are there under other hashes, because a later run of the account renamed them. */
export function laterRenames(run: DoneRun, { batchSize, domainsOf }: Reading, session: Session) {
  let all: readonly Renames[] | undefined;
  return async (gone: readonly Located[]): Promise<ReadonlyMap<Located, string>> => {
    if (gone.length === 0) return new Map();
    all ??= await renamesAfter(run, domainsOf, session);
    const renames = all;
    const named = gone.map((one) => ({ one, ...nameAfter({ hash: one.change.link.hash, domain: one.domain }, renames) }));
    const targets = named.flatMap(({ target, by }) => (by === undefined ? [] : [target]));
    const find = await recordsOf(session.client, targets, batchSize);
    return new Map(
      named.flatMap(({ one, target, by }) => (by !== undefined && find(target) ? [[one, `renamed since by run ${by}`]] : [])),
    );
  };
}

/** Oldest first. */
async function renamesAfter({ begin }: DoneRun, domainsOf: DomainsOf, session: Session): Promise<Renames[]> {
  const isEdit = ({ operation }: DoneRun['begin']): boolean => operation === 'edit';
  const later = await readLaterRuns(begin, isEdit, foldersOf(session), (run) => hashesGiven(run, domainsOf));
  return later.flatMap(({ run, found: hashes }) => (hashes.size > 0 ? [{ run, hashes }] : []));
}

async function hashesGiven(run: DoneRun, domainsOf: DomainsOf): Promise<Map<string, string>> {
  const domainOf = domainsOf(run);
  const given = new Map<string, string>();
  for await (const some of run.changes()) {
    for (const change of some) {
      const { link, asked, via, isCertain, isOpen, isMoved } = change;
      if (asked.custom_hash === undefined || !(isCertain || isOpen || isMoved)) continue;
      // After a second rename in the run, the hash that the server showed may be that of the first.
      const hash = (via === undefined ? change.madeHash : undefined) ?? asked.custom_hash;
      given.set(linkText({ hash: link.hash, domain: await domainOf(change) }), hash);
    }
  }
  return given;
}

/** Returns the name that the last of these runs gave to a link. */
function nameAfter(link: LinkKey, all: readonly Renames[]): { readonly target: LinkKey; readonly by: string | undefined } {
  let target = link;
  let by: string | undefined;
  for (const { run, hashes } of all) {
    const hash = hashes.get(linkText(target));
    if (hash === undefined) continue;
    target = { ...target, hash };
    by = run;
  }
  return { target, by };
}
