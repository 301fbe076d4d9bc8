import { readFileSync } from 'node:fs';
import { configPath, type System } from '../base/system.ts';
import type { Format } from '../contract/formats.ts';
import { endOfFlags } from '../help/typed-line.ts';

/** Returns JSON if flags, variable or profile ask for it: a failure may come before the line is parsed. The last flag counts. */
export async function failureFormat(argv: readonly string[], system: System): Promise<Format | undefined> {
  const words = argv.slice(0, endOfFlags(argv));
  if (words.includes('--json')) return 'json';
  const given = lastValue(words, '-o', '--output') || system.env.LINKCTL_OUTPUT;
  const format: unknown = given || (await storedFormat(words, system).catch(() => undefined));
  return format === 'json' || format === 'jsonl' ? format : undefined;
}

function lastValue(words: readonly string[], short: string, long: string): string | undefined {
  return new RegExp(`^(?:.*\n)?(?:${short}\n?|${long}[=\n])([^\n]*)`, 's').exec(words.join('\n'))?.[1];
}

/** Throws if the configuration cannot be read. */
async function storedFormat(words: readonly string[], system: System): Promise<unknown> {
  const text = readFileSync(configPath(system), 'utf8');
  // Few profiles have this setting, and only for them more code is loaded.
  if (!/"output":\s*"json/.test(text)) return undefined;
  const { profileInUse } = await import('../profiles/profile-names.ts');
  const [username, apiKeyFile] = ['--username', '--api-key-file'].map((flag) => lastValue(words, flag, flag));
  const name = profileInUse({ profile: lastValue(words, '-p', '--profile'), username, apiKeyFile }, system);
  return JSON.parse(text).profiles[name ?? ''].output;
}
