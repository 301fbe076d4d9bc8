import { UsageError } from '../base/errors.ts';

/** The profile that always exists (CLI 3.2). */
export const sandboxName = 'sandbox';

/** Names that JavaScript's objects give a meaning of their own. */
const reserved: readonly string[] = ['__proto__', 'prototype', 'constructor'];

/** B68. A dot is left out because libraries for settings take it for a path. */
export function isProfileName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text) && !reserved.includes(text);
}

/** Exit 2 for a name that no profile can have. */
export function requireProfileName(text: string): string {
  if (isProfileName(text)) return text;
  throw new UsageError(
    `profile name ${JSON.stringify(text)}: expected up to 63 letters, digits, - and _, a letter or digit first${reserved.includes(text) ? ', and not a reserved JavaScript name' : ''}`,
  );
}
