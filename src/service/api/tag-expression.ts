import { isCalendarDate } from '../../contract/fields.ts';

/** Labels are as typed; the store decides which of them are automatic. */
export type TagExpression =
  | { readonly kind: 'label'; readonly label: string }
  /** Created after or before a UTC day. */
  | { readonly kind: 'created'; readonly side: 'after' | 'before'; readonly date: string }
  | { readonly kind: 'not'; readonly operand: TagExpression }
  | { readonly kind: 'and' | 'xor' | 'or'; readonly operands: readonly TagExpression[] };

/** Protects the service against malicious expressions; far beyond practical ones. */
const maximumOperands = 100;
const maximumDepth = 50;

/**
 * API.md does not define expressions; public deployments accept `label` or `+label`, `~label` or `-label`, AND `&` `,` `;`, XOR `^`, OR
 * `|`, and brackets. NOT binds tightest, then AND, XOR, OR. Quotes keep operators in a label. Undefined for a malformed expression.
 */
export function parseTagExpression(text: string): TagExpression | undefined {
  try {
    const tokens = tokenize(text);
    const reader: Reader = { tokens, position: 0 };
    const expression = readLevel(reader, 0);
    return reader.position === tokens.length ? expression : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

class Malformed extends Error {}

type Operator = '&' | '^' | '|' | '(' | ')' | '~' | '+';
type Token = { readonly operator: Operator } | { readonly operand: TagExpression };

interface Reader {
  readonly tokens: readonly Token[];
  position: number;
}

/** An operator, a quoted label, or a bare label up to the next operator. `+` and `-` are signs only at the start of a label. */
const tokenPattern = /\s*(?:([&,;^|()~])|"((?:[^"]|"")*)"|([^&,;^|()~"]+))/y;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const source = text.trimEnd();
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < source.length) {
    const match = tokenPattern.exec(source);
    const [, operator, quoted, bare] = match ?? [];
    // No tag has an empty label, and its complement would be all links.
    if (!match || quoted?.trim() === '') throw new Malformed();
    if (operator !== undefined) tokens.push({ operator: operator.replace(/[,;]/, '&') as Operator });
    else if (quoted !== undefined) tokens.push({ operand: { kind: 'label', label: quoted.replaceAll('""', '"') } });
    else tokens.push(...bareTokens((bare ?? '').trim()));
  }
  if (tokens.filter((token) => 'operand' in token).length > maximumOperands) throw new Malformed();
  return tokens;
}

function bareTokens(text: string): Token[] {
  const signs = /^[+\-\s]*/.exec(text)?.[0] ?? '';
  const label = text.slice(signs.length);
  const tokens = Array.from(signs.replace(/\s/g, ''), (sign): Token => ({ operator: sign === '-' ? '~' : '+' }));
  return label === '' ? tokens : [...tokens, { operand: bareOperand(label) }];
}

function bareOperand(text: string): TagExpression {
  const comparison = /^([<>])\s*(.*)$/.exec(text);
  if (!comparison) return { kind: 'label', label: text };
  const date = comparison[2] ?? '';
  if (!isCalendarDate(date)) throw new Malformed();
  return { kind: 'created', side: comparison[1] === '>' ? 'after' : 'before', date };
}

/** The operators of two operands, from the loosest to the tightest. */
const levels = [
  ['|', 'or'],
  ['^', 'xor'],
  ['&', 'and'],
] as const;

function readLevel(reader: Reader, depth: number, level = 0): TagExpression {
  const [operator, kind] = levels[level] ?? [];
  if (operator === undefined) return readOperand(reader, depth);
  const first = readLevel(reader, depth, level + 1);
  const operands = [first];
  while (take(reader, operator)) operands.push(readLevel(reader, depth, level + 1));
  return operands.length === 1 ? first : { kind, operands };
}

function readOperand(reader: Reader, depth: number): TagExpression {
  if (depth > maximumDepth) throw new Malformed();
  if (take(reader, '+')) return readOperand(reader, depth + 1);
  if (take(reader, '~')) return { kind: 'not', operand: readOperand(reader, depth + 1) };
  if (take(reader, '(')) {
    const inner = readLevel(reader, depth + 1);
    if (!take(reader, ')')) throw new Malformed();
    return inner;
  }
  const token = reader.tokens[reader.position++];
  if (!token || !('operand' in token)) throw new Malformed();
  return token.operand;
}

function take(reader: Reader, operator: Operator): boolean {
  const token = reader.tokens[reader.position];
  if (!token || !('operator' in token) || token.operator !== operator) return false;
  reader.position++;
  return true;
}
