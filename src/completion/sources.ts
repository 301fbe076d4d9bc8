import { readFileSync } from 'node:fs';
import { safe } from '../base/safe-text.ts';
import { folders, type System } from '../base/system.ts';
import { newestRuns, titleOf } from '../bulk/records/run-names.ts';
import { configPath } from '../profiles/config-file.ts';
import { isProfileName, sandboxName } from '../profiles/profile-name.ts';
import { cachedLabels, type LabelKind } from './label-cache.ts';

/** Reads only local files: completion never connects or writes. */
export interface Sources {
  profiles(): string[];
  /** Recent labels of a profile, by default of the current one. */
  labels(kind: LabelKind, profile: string | undefined): string[];
  /** Newest first; names begin with `beginning`. */
  runs(beginning: string): { readonly name: string; readonly title: string }[];
}

/** Bounds the time of a key press. */
const maxRuns = 50;

export function localSources(system: System): Sources {
  return {
    profiles: () => [...new Set([...readNames(system).profiles, sandboxName])],
    labels(kind, given) {
      const profile = given ?? activeProfile(system);
      return profile !== undefined && isProfileName(profile) ? cachedLabels(kind, profile, system) : [];
    },
    runs: (beginning) =>
      newestRuns(folders(system).state, beginning)
        .slice(0, maxRuns)
        .map(({ run, begin }) => ({
          name: run,
          title: begin ? safe(titleOf(begin)) : '',
        })),
  };
}

/** Chooses like a command: credentials in the environment belong to no profile. */
function activeProfile(system: System): string | undefined {
  const { LINKCTL_USERNAME, LINKCTL_API_KEY, LINKCTL_API_KEY_FILE, LINKCTL_PROFILE } = system.env;
  if (LINKCTL_USERNAME || LINKCTL_API_KEY || LINKCTL_API_KEY_FILE) return undefined;
  return LINKCTL_PROFILE || readNames(system).current;
}

/** Reads only names. An unreadable file has none; the next command will report it. */
function readNames(system: System): { profiles: string[]; current?: string } {
  try {
    const { profiles, current_profile: current } = JSON.parse(readFileSync(configPath(system), 'utf8'));
    return { profiles: Object.keys(profiles ?? {}).filter(isProfileName), current };
  } catch {
    return { profiles: [] };
  }
}
