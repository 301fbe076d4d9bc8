import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandTree } from '../help/command-tree.ts';

/** The commands as `bin/bundle.mjs` wrote them down, so that a key press loads none of them; nothing where nobody did. */
export function storedTree(): CommandTree | undefined {
  try {
    return JSON.parse(readFileSync(join(import.meta.dirname, 'commands.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
