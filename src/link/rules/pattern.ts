import { setFlagsFromString } from 'node:v8';
import { messageOf, orElse, UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';

/**
 * A pattern of the user must not run forever, because no signal could stop it. The flag `l` selects V8's linear engine, which refuses
 * patterns that need backtracking. Throws a UsageError that begins with the pattern, also if V8 no longer has this engine.
 */
export function readPattern(text: string): RegExp {
  setFlagsFromString('--enable-experimental-regexp-engine');
  return orElse(() => linear(text), undefined) ?? refuse(text);
}

function refuse(text: string): never {
  const because = (reason: string): UsageError => new UsageError(`${quoted(text)} ${reason}`);
  try {
    new RegExp(text);
  } catch (error) {
    throw because(`is not a regular expression: ${messageOf(error).replace(/^.*\/[a-z]*: /s, '')}`);
  }
  throw because(
    orElse(() => linear(''), undefined)
      ? 'could run for ever: lookaround such as (?=x), back references such as \\1 and repetitions above 16 are not supported'
      : 'cannot be used: this version of Node.js has no regular expressions without backtracking',
  );
}

function linear(text: string): RegExp {
  return new RegExp(text, 'l');
}
