import { readFileSync } from 'node:fs';
import { safe } from '../base/safe-text.ts';
import { folders, type System } from '../base/system.ts';
import { newestRuns, titleOf } from '../bulk/past-runs/run-names.ts';
import type { TypedLine } from '../help/typed-line.ts';
import { configPath } from '../profiles/config-file.ts';
import { isProfileName, sandboxName } from '../profiles/profile-name.ts';
import { cachedLabels, type LabelKind } from './label-cache.ts';
import type { Candidate, Main } from './server-hashes.ts';

/** All but `hashes` reads only local files: a key press must not wait for a server. */
export interface Sources {
  profiles(): string[];
  /** Recent labels of a profile, by default of the current one. */
  labels(kind: LabelKind, profile: string | undefined): string[];
  /** Newest first; names begin with `beginning`. Without a profile, those of all, or for undo changes of the current one. */
  runs(beginning: string, profile: string | undefined, isUndo: boolean): Candidate[];
  /** Asks the server of the typed line. Never fails. */
  hashes(beginning: string, line: TypedLine): Promise<Candidate[]>;
}

/** Bounds the time of a key press. */
const maxRuns = 50;

/** `main` runs a command line of this program. */
export function createSources(system: System, main: Main): Sources {
  return {
    profiles: () => [...new Set([...readNames(system).profiles, sandboxName])],
    labels(kind, given) {
      const profile = given ?? activeProfile(system);
      return profile !== undefined && isProfileName(profile) ? cachedLabels(kind, profile, system) : [];
    },
    runs(beginning, given, isUndo) {
      const profile = given ?? (isUndo ? activeProfile(system) : undefined);
      return newestRuns(folders(system).state, beginning)
        .filter(({ begin }) => (profile === undefined || begin?.profile === profile) && !(isUndo && begin?.operation === 'check'))
        .slice(0, maxRuns)
        .map(({ run, begin }) => ({ word: run, meaning: begin ? safe(titleOf(begin)) : '' }));
    },
    async hashes(beginning, line) {
      // A program that is run for the key could ask for a password, and a URL is no beginning of a hash.
      const profile = line.given.get('profile') ?? activeProfile(system);
      if (beginning.includes('/') || readNames(system).keyPrograms.includes(`${profile}`)) return [];
      return (await import('./server-hashes.ts')).serverHashes(beginning, line, system, main);
    },
  };
}

/** Chooses like a command: credentials in the environment belong to no profile. */
function activeProfile(system: System): string | undefined {
  const { LINKCTL_USERNAME, LINKCTL_API_KEY, LINKCTL_API_KEY_FILE, LINKCTL_PROFILE } = system.env;
  if (LINKCTL_USERNAME || LINKCTL_API_KEY || LINKCTL_API_KEY_FILE) return undefined;
  return LINKCTL_PROFILE || readNames(system).current;
}

/** Reads only names. An unreadable file has none; the next command will report it. */
function readNames(system: System): { profiles: string[]; keyPrograms: string[]; current?: string } {
  try {
    const { profiles, current_profile: current } = JSON.parse(readFileSync(configPath(system), 'utf8'));
    const names = Object.keys(profiles ?? {}).filter(isProfileName);
    return { profiles: names, keyPrograms: names.filter((name) => profiles[name].api_key_command), current };
  } catch {
    return { profiles: [], keyPrograms: [] };
  }
}
