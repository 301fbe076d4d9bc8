import { readFileSync } from 'node:fs';
import { safe } from '../base/safe-text.ts';
import { folders, type System } from '../base/system.ts';
import { newestRuns, titleOf } from '../bulk/records/run-names.ts';
import { configPath } from '../profiles/config-file.ts';
import { isProfileName, sandboxName } from '../profiles/profile-name.ts';
import { keptLabels, type LabelKind } from './label-cache.ts';

/** The names that only this machine knows. Nothing here opens a connection or writes. */
export interface Sources {
  profiles(): string[];
  /** What the server of a profile listed recently; without a name, of the current profile. */
  labels(kind: LabelKind, profile: string | undefined): string[];
  /** Newest first, those of which this is the beginning of the name (U4). */
  runs(beginning: string): { readonly name: string; readonly title: string }[];
}

/** Runs that a key press reads and a terminal shows. */
const mostRuns = 50;

export function localSources(system: System): Sources {
  return {
    profiles: () => [...new Set([...readNames(system).profiles, sandboxName])],
    labels(kind, given) {
      const profile = given ?? profileInForce(system);
      return profile !== undefined && isProfileName(profile) ? keptLabels(kind, profile, system) : [];
    },
    runs: (beginning) =>
      newestRuns(folders(system).state, beginning)
        .slice(0, mostRuns)
        .map(({ run, begin }) => ({
          name: run,
          title: begin ? safe(titleOf(begin)) : '',
        })),
  };
}

/** As a command would choose (B61): credentials in the environment belong to no profile. */
function profileInForce(system: System): string | undefined {
  const { LINKCTL_USERNAME, LINKCTL_API_KEY, LINKCTL_API_KEY_FILE, LINKCTL_PROFILE } = system.env;
  if (LINKCTL_USERNAME || LINKCTL_API_KEY || LINKCTL_API_KEY_FILE) return undefined;
  return LINKCTL_PROFILE || readNames(system).current;
}

/** The names in the configuration and nothing else of it. A file that cannot be read has none: the next command will say so. */
function readNames(system: System): { profiles: string[]; current?: string } {
  try {
    const { profiles, current_profile: current } = JSON.parse(readFileSync(configPath(system), 'utf8'));
    return { profiles: Object.keys(profiles ?? {}).filter(isProfileName), current };
  } catch {
    return { profiles: [] };
  }
}
