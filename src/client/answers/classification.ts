import type { OperationName } from '../../contract/operations.ts';
import { type Envelope, isObject } from '../../contract/records.ts';
import type { Attempted } from '../call/retry-loop.ts';
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
    // The code of a refusal is readable all the same.
    if (!answer.isUtf8) return { kind: 'unreadable', problem: 'not UTF-8' };
    if (answer.status >= 200 && answer.status < 300) answerShapes[operation](result);
    return { kind: 'result', result };
  } catch (error) {
    if (error instanceof Mismatch) return { kind: 'unexpected', problem: error.message };
    throw error;
  }
}

/** `isTooDeep`: recursive code could not print it. `isRounded`: a number may have had more digits. */
interface Traits {
  isTooDeep: boolean;
  isRounded: boolean;
}

/** Returns the traits of parsed JSON. */
export function traitsOf(value: unknown): Traits {
  const traits = { isTooDeep: false, isRounded: false };
  noteTraits(value, maximumDepth, traits);
  return traits;
}

const maximumDepth = 64;

/** Looks at values, not at the text before it is parsed, which takes eight times as long. `JSON.parse` itself can read any depth. */
function noteTraits(value: unknown, levels: number, traits: Traits): void {
  if (typeof value === 'number') traits.isRounded ||= Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) traits.isTooDeep = true;
  else if (Array.isArray(value)) for (let i = 0; i < value.length; i += 1) noteTraits(value[i], levels - 1, traits);
  else for (const name in value) noteTraits((value as { [name: string]: unknown })[name], levels - 1, traits);
}

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
  return isObject(value) && !Object.hasOwn(value, 'error') ? { ...value, ...fine } : value;
}

function parse({ headers, body }: WireAnswer): { value: unknown } | { problem: string } {
  try {
    const value: unknown = JSON.parse(body);
    const { isTooDeep, isRounded } = traitsOf(value);
    if (isTooDeep) return { problem: `nested deeper than ${maximumDepth} levels` };
    return { value: isRounded ? JSON.parse(exact(body)) : value };
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
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
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
