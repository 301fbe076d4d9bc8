import type { OperationName } from '../../contract/operations.ts';
import type { Envelope } from '../../contract/records.ts';
import type { Attempted } from '../call/retry.ts';
import type { Answer } from '../client-options.ts';
import type { WireAnswer } from '../http/transport.ts';
import type { Subject } from '../subject.ts';
import { answerShapes } from './answer-shapes.ts';
import type { Reading } from './faults.ts';
import { Mismatch, optional, record, scalar, text } from './shapes.ts';

function readAnswer(operation: OperationName, answer: WireAnswer): Reading {
  if (operation === 'deleteTag' && isSilent(answer)) return { kind: 'result', result: fine };
  const parsed = parse(answer);
  if ('problem' in parsed) return { kind: 'unreadable', problem: parsed.problem };
  try {
    const result = operation === 'deleteTag' ? withError(parsed.value) : parsed.value;
    envelope(result);
    if (result.error.code !== 0) return { kind: 'refusal', error: { ...result.error, message: result.error.message ?? '' } };
    if (answer.status >= 200 && answer.status < 300) answerShapes[operation](result);
    return { kind: 'result', result };
  } catch (error) {
    if (error instanceof Mismatch) return { kind: 'unexpected', problem: error.message };
    throw error;
  }
}

/** Looks at everything outside texts. JSON that nests too deeply cannot be printed by recursive code, and is refused. */
export function traitsOf(json: string): { isTooDeep: boolean; hasLongNumber: boolean } {
  let [depth, digits, hasLongNumber] = [0, 0, false];
  for (let i = 0; i < json.length; i += 1) {
    const code = json.charCodeAt(i);
    if (code >= zero && code <= nine) {
      digits += 1;
      hasLongNumber ||= digits === longNumber;
      continue;
    }
    digits = 0;
    if (code === quote) {
      i = endOfText(json, i);
      if (i < 0) break;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > maximumDepth) return { isTooDeep: true, hasLongNumber };
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return { isTooDeep: false, hasLongNumber };
}

/** Returns the position of the closing quote, or -1. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before -= 1;
    // An odd number of backslashes makes the quote a part of the text.
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

const maximumDepth = 64;
/** All integers with fewer digits are exact. */
const longNumber = 16;
const [zero, nine] = [48, 57];
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93];

const fine: Envelope = { error: { code: 0, message: '' } };

/** A negative code is no code of the API. */
const code = scalar('an integer from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const envelopeShape = record({ error: record({ code, message: optional(text), details: optional(text) }) });

function envelope(value: unknown): asserts value is Envelope {
  envelopeShape(value);
}

/** API.md shows no body for DELETE /tags/[label], so the status is enough unless the body has an error. */
function isSilent({ status, body }: WireAnswer): boolean {
  return status >= 200 && status < 300 && body.trim() === '';
}

function withError(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !Object.hasOwn(value, 'error') ? { ...value, ...fine } : value;
}

function parse({ headers, body }: WireAnswer): { value: unknown } | { problem: string } {
  const { isTooDeep, hasLongNumber } = traitsOf(body);
  if (isTooDeep) return { problem: `nested deeper than ${maximumDepth} levels` };
  try {
    return { value: JSON.parse(hasLongNumber ? exact(body) : body) };
  } catch {
    const type = headers['content-type']?.split(';')[0] || 'no content type';
    return { problem: `not JSON (${type}, ${Buffer.byteLength(body)} bytes)${body.trim() === '' ? '' : `: ${beginning(body)}`}` };
  }
}

const textOrLongInteger = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\w.+-])-?[1-9]\d{15,}(?![\d.eE])/g;

/** Writes integers that a number cannot hold as text, so that members which only the server knows keep their digits. */
function exact(json: string): string {
  return json.replace(textOrLongInteger, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
  );
}

/** Returns at most 200 characters on one line. The printer escapes control characters. */
function beginning(body: string): string {
  const line = body.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Distinguishes a result from a fault. Only faults need `subject`. */
export async function classifyAnswer<O extends OperationName>(
  operation: O,
  answer: WireAnswer,
  subject: () => Subject,
): Promise<Attempted<Answer<O>>> {
  const { status } = answer;
  const isRedirect = status >= 300 && status < 400;
  const reading = isRedirect ? undefined : readAnswer(operation, answer);
  if (reading?.kind === 'result' && status >= 200 && status < 300) return { result: reading.result as Answer<O> };
  const { answerFault } = await import('./faults.ts');
  return { fault: answerFault(answer, reading, subject()) };
}
