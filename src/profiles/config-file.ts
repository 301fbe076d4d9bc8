import { isUtf8 } from 'node:buffer';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AuthError, jsonFaultAt, LocalError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import { configPath, type System } from '../base/system.ts';
import { isObject } from '../contract/records.ts';
import { errorCode, fileError, fileWork } from '../files/file-error.ts';
import { looseMode, makePrivate, refuseForeign } from '../files/ownership.ts';
import { type Profile, profileFaults } from './profile.ts';
import { isProfileName, sandboxName } from './profile-names.ts';

/** Newest version of the file that this program can write. A missing `version` means 1. */
export const configVersion = 1;

/** Unknown members are kept. Objects with keys from outside have no prototype. */
export interface ConfigDocument {
  version?: number;
  current_profile?: string | null;
  profiles: { [name: string]: Profile };
  [unknown: string]: unknown;
}

export interface Config {
  readonly path: string;
  readonly currentProfile: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Warnings about permissions, for stderr. */
  readonly warnings: readonly string[];
}

/** Reads without conf, which is slow to import. A missing file is empty. Throws `LocalError`, also for a file of another owner. */
export function readConfig(system: System): Config {
  const path = configPath(system);
  const { document, warnings } = readDocument(path, system);
  return {
    path,
    currentProfile: document.current_profile ?? undefined,
    profiles: new Map(Object.entries(document.profiles)),
    warnings,
  };
}

/** Throws a LocalError for an unknown profile. */
export function requireProfile(name: string, config: Config): void {
  if (name !== sandboxName && !config.profiles.has(name)) throw unknownProfile(name, config);
}

/** Exit code 9. */
export function unknownProfile(name: string, config: Config): LocalError {
  const known = [...new Set([...config.profiles.keys(), sandboxName])];
  return new LocalError(`no profile ${JSON.stringify(name)} in ${config.path}; known: ${known.join(', ')}`, {
    hint: 'linkctl auth list',
  });
}

/** Exit code 4. */
export function noProfile({ profiles, path }: Config, consequence = ''): AuthError {
  const first = profiles.size > 0 ? 'linkctl auth switch <profile>' : 'linkctl auth login';
  return new AuthError(`no profile is selected (configuration: ${path})${consequence}`, {
    hint: `with an account: ${first}; without one: linkctl -p sandbox`,
  });
}

/** Advice for file systems without owners. */
export const otherDisk = 'set LINKCTL_CONFIG_DIR to a folder on a disk that keeps owners and permissions';

export function readDocument(path: string, system: System): { document: ConfigDocument; warnings: readonly string[] } {
  const stats = statsOf(path);
  if (!stats) return { document: { profiles: Object.create(null) }, warnings: [] };
  if (!stats.isFile()) throw new LocalError(`cannot read ${path}: it is not a regular file`);
  refuseForeign(path, stats, system);
  const warnings = [...tighten(path, stats, system), ...folderWarnings(dirname(path), system)];
  return {
    document: parseDocument(
      fileWork('read', path, () => readFileSync(path)),
      path,
    ),
    warnings,
  };
}

/** Throws `LocalError` with path and line, but without content. */
export function parseDocument(bytes: Buffer, path: string): ConfigDocument {
  const text = textOf(bytes, path);
  if (text.trim() === '') throw corrupt(`${path}: the file is empty`);
  const document = bare(parsedJson(text, path));
  const profiles = document && bare(document.profiles ?? {});
  if (!document) throw corrupt(`${path}: expected an object`);
  if (!profiles) throw corrupt(`${path}: profiles: expected an object`);
  const checked = { ...document, profiles } as ConfigDocument;
  const faults = documentFaults(checked);
  if (faults.length > 0) throw corrupt(`${path}: ${faults[0]}`, faults.slice(1));
  return checked;
}

function parsedJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The original message quotes the text, which may contain a secret.
    throw corrupt(`${path}:${lineAndColumn(text, jsonFaultAt(text))}: not valid JSON`);
  }
}

/** Returns one sentence per fault. */
export function documentFaults({ version, current_profile: current, profiles }: ConfigDocument): string[] {
  return [
    ...(version === undefined || (Number.isInteger(version) && version >= 1) ? [] : ['version: expected a whole number']),
    ...(current === undefined || current === null || isNamed(current) ? [] : ['current_profile: expected the name of a profile']),
    ...Object.entries(profiles).flatMap(([name, profile]) => [
      ...(isNamed(name) ? [] : [`profiles: ${JSON.stringify(name)} is not a valid profile name`]),
      ...(isObject(profile)
        ? profileFaults(profile).map((fault) => `profiles.${name}.${fault}`)
        : [`profiles.${name}: expected an object`]),
    ]),
  ];
}

function isNamed(value: unknown): boolean {
  return typeof value === 'string' && isProfileName(value);
}

/** Copies without a prototype, so that no key can be a built-in member. */
function bare(value: unknown): { [name: string]: unknown } | undefined {
  return isObject(value) ? Object.assign(Object.create(null), value) : undefined;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fileError('read', path, error);
  }
}

/** Removes a byte order mark. */
function textOf(bytes: Buffer, path: string): string {
  if (!isUtf8(bytes)) throw corrupt(`${path}: not UTF-8 text`);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

function corrupt(message: string, details: readonly string[] = []): LocalError {
  return new LocalError(message, {
    details,
    hint: 'the file was not changed: correct it, or move it away and log in: linkctl auth login',
  });
}

/** Makes the file private and warns once; if that is impossible, every command warns. */
function tighten(path: string, stats: Stats, system: System): string[] {
  const { mode, result } = makePrivate(path, stats, system) ?? {};
  const remedy = `chmod 600 ${shellWord(path)}`;
  switch (result) {
    case undefined:
      return [];
    case 'private':
      return [`${path} was accessible to other users (${mode}) and is now private (${remedy})`];
    case 'refused':
      return [`${path} is accessible to other users (${mode}): ${remedy}`];
    case 'ignored':
      return [`${path} is accessible to other users (${mode}), and chmod has no effect there: ${otherDisk}`];
  }
}

/** `LINKCTL_CONFIG_DIR` may be shared on purpose, so the folder is not changed. */
function folderWarnings(path: string, system: System): string[] {
  const stats = statSync(path);
  const mode = stats.uid === system.userId ? looseMode(stats, system) : undefined;
  return mode ? [`${path} is accessible to other users (${mode}): chmod 700 ${shellWord(path)}`] : [];
}
