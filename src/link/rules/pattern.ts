import { setFlagsFromString } from 'node:v8';

/** A regular expression that people typed, which cannot keep the program busy for ever. Throws a SyntaxError for what is none. */
export function readPattern(text: string, flags = ''): RegExp {
  // V8 searches again in linear time where a pattern such as (a+)+$ would otherwise never end, and no signal could end it.
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
  return new RegExp(text, flags);
}
