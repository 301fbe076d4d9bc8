import { readFileSync } from 'node:fs';
import { UsageError } from '../base/errors.ts';
import { configPath, type System } from '../base/system.ts';
import type { CredentialFlags } from './given-set.ts';

/** This profile always exists. */
export const sandboxName = 'sandbox';

/** Keys with a special meaning in JavaScript objects. */
const reserved: readonly string[] = ['__proto__', 'prototype', 'constructor'];

/** Excludes dots, because settings libraries read them as paths. */
export function isProfileName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text) && !reserved.includes(text);
}

/** Exit code 2. */
export function requireProfileName(text: string): string {
  if (isProfileName(text)) return text;
  throw new UsageError(
    `profile name ${JSON.stringify(text)}: expected up to 63 letters, digits, - and _, a letter or digit first${reserved.includes(text) ? ', and not a reserved JavaScript name' : ''}`,
  );
}

/** Returns the profile that a flag or the variable names. */
export function namedProfile({ profile }: { readonly profile?: string | undefined }, { env }: Pick<System, 'env'>) {
  return profile ?? (env.LINKCTL_PROFILE || undefined);
}

/** Chooses like a command. Null for credentials of flags or the environment, which belong to no profile; undefined without any. */
export function profileInUse(
  { profile, username, apiKeyFile }: Pick<CredentialFlags, 'profile' | 'username' | 'apiKeyFile'>,
  system: Pick<System, 'env' | 'platform'>,
): string | null | undefined {
  const { LINKCTL_USERNAME, LINKCTL_API_KEY, LINKCTL_API_KEY_FILE, LINKCTL_PROFILE } = system.env;
  if (profile !== undefined) return profile;
  if (username ?? apiKeyFile ?? (LINKCTL_USERNAME || LINKCTL_API_KEY || LINKCTL_API_KEY_FILE)) return null;
  return LINKCTL_PROFILE || profileNames(system).current;
}

/** Reads only names. An unreadable file has none; the next command will report it. */
export function profileNames(system: Pick<System, 'env' | 'platform'>): {
  profiles: string[];
  keyPrograms: string[];
  current?: string;
} {
  try {
    const { profiles, current_profile: current } = JSON.parse(readFileSync(configPath(system), 'utf8'));
    const names = Object.keys(profiles ?? {}).filter(isProfileName);
    return { profiles: names, keyPrograms: names.filter((name) => profiles[name].api_key_command), current };
  } catch {
    return { profiles: [], keyPrograms: [] };
  }
}
