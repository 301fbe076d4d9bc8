/**
 * Where text stops being JSON: the offset of the first token that does not belong. `JSON.parse` tells it only sometimes, and
 * its messages quote what they read, which may be a secret. The length of the text where something is missing at its
 * end; undefined for good JSON.
 */
export function jsonErrorOffset(text: string): number | undefined {
  const closers: string[] = [];
  let expected: Expected = 'value';
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const token = tokenAt(text, at);
    const kind = token && kindOf(token);
    if (!token || !kind || !accepts[expected].includes(kind)) return at;
    if (kind === 'open') closers.push(token === '{' ? '}' : ']');
    if (kind === 'close' && closers.pop() !== token) return at;
    expected = next(expected, kind, token, closers);
    at = skipSpace(text, at + token.length);
  }
  return expected === 'end' ? undefined : text.length;
}

/** `first` forms allow the closing bracket of an empty object or array. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'more' | 'end';
type Kind = 'open' | 'close' | 'comma' | 'colon' | 'string' | 'literal';

const accepts: { readonly [E in Expected]: readonly Kind[] } = {
  value: ['open', 'string', 'literal'],
  'first value': ['open', 'string', 'literal', 'close'],
  key: ['string'],
  'first key': ['string', 'close'],
  colon: ['colon'],
  more: ['comma', 'close'],
  end: [],
};

const tokens =
  /[{}[\],:]|"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function tokenAt(text: string, at: number): string | undefined {
  tokens.lastIndex = at;
  return tokens.exec(text)?.[0];
}

function kindOf(token: string): Kind {
  const kinds: { readonly [first: string]: Kind } = {
    '{': 'open',
    '[': 'open',
    '}': 'close',
    ']': 'close',
    ',': 'comma',
    ':': 'colon',
    '"': 'string',
  };
  return kinds[token[0] as string] ?? 'literal';
}

function next(expected: Expected, kind: Kind, token: string, closers: readonly string[]): Expected {
  const inObject = closers.at(-1) === '}';
  if (kind === 'open') return token === '{' ? 'first key' : 'first value';
  if (kind === 'comma') return inObject ? 'key' : 'value';
  if (kind === 'colon') return 'value';
  if (kind === 'string' && (expected === 'key' || expected === 'first key')) return 'colon';
  return closers.length > 0 ? 'more' : 'end';
}

function skipSpace(text: string, at: number): number {
  let end = at;
  while (end < text.length && ' \t\r\n'.includes(text[end] as string)) end++;
  return end;
}
