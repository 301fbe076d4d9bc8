import { open, stat } from 'node:fs/promises';
import { AuthError, type CliError, LocalError, UsageError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import { hasControlCharacter } from '../base/safe-text.ts';
import type { System } from '../base/system.ts';
import { errorCode, fileError } from '../files/file-error.ts';
import { looseMode, refuseForeign } from '../files/ownership.ts';

/** Nothing is read or run before the key is needed. */
export type KeySource =
  | { readonly kind: 'variable'; readonly name: string; readonly value: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stored'; readonly profile: string; readonly value: string }
  | { readonly kind: 'command'; readonly argv: readonly string[] };

export interface ApiKey {
  readonly value: string;
  /** About the file's permissions; for stderr. */
  readonly warnings: readonly string[];
}

/**
 * Throws `UsageError` for an invalid variable, `LocalError` for an invalid stored key or file, and `AuthError` for a command without a key.
 * Messages never contain the key.
 */
export async function readKey(source: KeySource, system: System): Promise<ApiKey> {
  switch (source.kind) {
    case 'variable':
      return { value: cleanKey(source.value, (fault) => new UsageError(`${source.name}: ${fault}`)), warnings: [] };
    case 'stored':
      return { value: cleanKey(source.value, (fault) => storedError(source.profile, fault)), warnings: [] };
    case 'file':
      return await readKeyFile(source.path, system);
    case 'command': {
      const { outputOfKeyCommand } = await import('./key-command.ts');
      const output = await outputOfKeyCommand(source.argv, system);
      return { value: cleanKey(output, (fault) => new AuthError(`api_key_command: ${source.argv[0]}: ${fault}`)), warnings: [] };
    }
  }
}

/** Trims white space. `reject` creates the error. */
export function cleanKey(text: string, reject: (fault: string) => CliError): string {
  const key = text.trim();
  if (key === '') throw reject('the key is empty');
  if (hasControlCharacter(key)) throw reject('expected only the key, on one line, without control characters');
  if (key.includes('\ufffd')) throw reject('the key is not UTF-8 text');
  return key;
}

const limitBytes = 64 * 1024;

/** The file contains only the key. */
async function readKeyFile(path: string, system: System): Promise<ApiKey> {
  const { text, warnings } = await readText(path, system);
  return { value: cleanKey(text, (fault) => new LocalError(`${path}: ${fault}`)), warnings };
}

/** A service accepts several keys, one per line. A comment would be a key that is easy to guess. Throws like `readKey`. */
export async function readKeys(
  path: string,
  system: System,
): Promise<Pick<ApiKey, 'warnings'> & { readonly values: readonly string[] }> {
  const { text, warnings } = await readText(path, system);
  const reject = (fault: string): LocalError => new LocalError(`${path}: ${fault}`);
  const lines = text.split('\n').map((line) => line.trim());
  const comment = lines.findIndex((line) => /^#|\s/.test(line));
  if (comment >= 0) throw reject(`line ${comment + 1} is not a key: it begins with "#" or contains white space`);
  const keys = lines.filter((line) => line !== '');
  return { values: (keys.length > 0 ? keys : ['']).map((line) => cleanKey(line, reject)), warnings };
}

/** Works with pipes too: `--api-key-file <(pass show linkctl)`. */
async function readText(path: string, system: System): Promise<Pick<ApiKey, 'warnings'> & { readonly text: string }> {
  try {
    const stats = await stat(path);
    refuseForeign(path, stats, system);
    const mode = stats.isFile() ? looseMode(stats, system) : undefined;
    const warnings = mode ? [`${path} is accessible to other users (${mode}): chmod 600 ${shellWord(path)}`] : [];
    return { text: await textOf(path), warnings };
  } catch (error) {
    throw keyFileError(path, error);
  }
}

async function textOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(limitBytes + 1);
    let size = 0;
    for (let count = -1; count !== 0 && size < bytes.length; size += count) {
      ({ bytesRead: count } = await file.read(bytes, size, bytes.length - size, null));
    }
    if (size > limitBytes) throw new LocalError(`${path}: more than ${limitBytes / 1024} KiB, too large for an API key`);
    return bytes.toString('utf8', 0, size);
  } finally {
    await file.close();
  }
}

function keyFileError(path: string, error: unknown): CliError {
  const failure = fileError('read the key file', path, error);
  if (errorCode(error) !== 'ENOENT') return failure;
  return new LocalError(failure.message, { cause: error, hint: 'check --api-key-file or LINKCTL_API_KEY_FILE' });
}

function storedError(profile: string, fault: string): LocalError {
  return new LocalError(`api_key of profile "${profile}": ${fault}`, { hint: `linkctl auth login --profile ${profile}` });
}
