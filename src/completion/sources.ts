import { safe } from '../base/safe-text.ts';
import { folders, type System } from '../base/system.ts';
import { isRunOf, newestFirst, runFolders, titleOf } from '../bulk/past-runs/run-names.ts';
import type { TypedLine } from '../help/typed-line.ts';
import { isProfileName, profileInUse, profileNames, sandboxName } from '../profiles/profile-names.ts';
import { cachedLabels, type LabelKind } from './label-cache.ts';
import type { Candidate, Main } from './server-hashes.ts';

/** Bounds the time of a key press. */
const maxRuns = 50;

export type Sources = ReturnType<typeof createSources>;

/** All but `hashes` reads only local files: a key press must not wait for a server. `main` runs a command line of this program. */
export function createSources(system: System, main: Main) {
  return {
    profiles: (): string[] => [...new Set([...profileNames(system).profiles, sandboxName])],
    /** Recent labels of a profile, by default of the current one. */
    labels(kind: LabelKind, given: string | undefined): string[] {
      const profile = profileInUse({ profile: given }, system);
      return profile && isProfileName(profile) ? cachedLabels(kind, profile, system) : [];
    },
    /** Newest first; names begin with `beginning`. Without a profile, those of all, or for undo changes of the current one. */
    runs(beginning: string, given: string | undefined, isUndo: boolean): Candidate[] {
      const profile = isUndo ? profileInUse({ profile: given }, system) : given;
      return newestFirst(runFolders(folders(system).state), (name) => name.startsWith(beginning))
        .filter((run) => isRunOf(profile, run) && !(isUndo && run.begin?.operation === 'check'))
        .slice(0, maxRuns)
        .map(({ run, begin }) => ({ word: run, meaning: begin ? safe(titleOf(begin)) : '' }));
    },
    /** Asks the server of the typed line. Never fails. */
    async hashes(beginning: string, line: TypedLine): Promise<Candidate[]> {
      // A program that is run for the key could ask for a password, and a URL is no beginning of a hash.
      const profile = profileInUse({ profile: line.given.get('profile') }, system);
      if (beginning.includes('/') || profileNames(system).keyPrograms.includes(`${profile}`)) return [];
      return (await import('./server-hashes.ts')).serverHashes(beginning, line, system, main);
    },
  };
}
