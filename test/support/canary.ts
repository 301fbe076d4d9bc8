import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key of every fixture, which must be seen nowhere but in files that are there to hold it (R-40, G10). */
export const canaryKey = 'CANARY-4f1d2c3b4a59687786a5';

const part = canaryKey.slice('CANARY-'.length);
/** The key itself, also percent-encoded; and as it travels, base64 of `name:key`, at each of the three offsets. */
const forms = [part, ...[0, 1, 2].map((offset) => base64Middle('x'.repeat(offset) + canaryKey))];

/** What base64 of the text has in common whatever comes after it; the first group depends on what comes before. */
function base64Middle(text: string): string {
  return Buffer.from(text)
    .toString('base64')
    .slice(4, Math.floor(text.length / 3) * 4);
}

export function holdsSecret(text: string): boolean {
  return placeOfSecret(text) >= 0;
}

/** Files below the folder that hold the key and are none of those that may: the configuration, and key files. */
export function secretFaults(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^config\.json$|key/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => holdsSecret(readFileSync(path, 'latin1')))
    .map((path) => `the key stands in ${path}`);
}

/** G10, for whatever a test sees of the program. */
export function expectNoSecret(text: string): void {
  const place = placeOfSecret(text);
  if (place >= 0) throw new Error(`the key is shown: ${text.slice(Math.max(0, place - 100), place + 100)}`);
}

function placeOfSecret(text: string): number {
  return Math.max(...forms.map((form) => text.indexOf(form)));
}
