import { UsageError } from '../base/errors.ts';

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
