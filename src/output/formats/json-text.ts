import { safeJsonText } from '../../base/safe-text.ts';

/** Escapes control characters. `undefined` becomes null. */
export function jsonText(value: unknown, pretty = false): string {
  return safeJsonText(JSON.stringify(value, null, pretty ? 2 : undefined) ?? 'null');
}
