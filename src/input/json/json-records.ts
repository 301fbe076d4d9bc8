import { orElse } from '../../base/errors.ts';
import { isObject } from '../../contract/records.ts';
import type { Notice } from '../notices.ts';
import type { Source } from '../source.ts';
import { firstLines, maxRecordLength, type RecordBatch, textLines } from '../text-lines.ts';

/** Distinguishes a row from an object that contains a list of rows. */
type IsRow = (object: object) => boolean;

/**
 * Yields the text of each object: one per line, in an array, or in an object with one such array, as API responses have it. Only the
 * current object is in memory. Invalid text ends the records and is passed to `broken`.
 */
export async function* jsonRecords(
  source: Source,
  isRow: IsRow,
  broken: (notice: Notice) => void,
): AsyncGenerator<RecordBatch<string>> {
  const { texts } = await firstLines(source, 1);
  const first = parseJson(texts[0] ?? '');
  const isLines =
    isObject(first) && isRow(first) && listsIn(first).every((list) => !list.some((item) => isObject(item) && isRow(item)));
  yield* isLines ? textLines(source) : documentRecords(source, isRow, broken);
}

async function* documentRecords(
  source: Source,
  isRow: IsRow,
  broken: (notice: Notice) => void,
): AsyncGenerator<RecordBatch<string>> {
  const scanner = new Scanner(isRow);
  let fault: Notice | undefined;
  for await (const chunk of source.text()) {
    fault = scanner.read(chunk);
    yield scanner.take();
    if (fault) break;
  }
  fault ??= scanner.end();
  yield scanner.take();
  if (fault) broken(fault);
}

const [quote, backslash, newLine] = [0x22, 0x5c, 0x0a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The number of arrays and objects around the list. */
const maxListDepth = 3;

/** The maximum length of the text outside the list, in characters. */
const maxFrameLength = 1024 * 1024;

/** An array, or an object with numbered members (`link_1`). */
interface List {
  readonly depth: number;
  /** The number of its objects so far. */
  count: number;
  /** The length of the frame after the last object of the list. */
  mark: number;
  isOpen: boolean;
}

/** Finds the boundaries of objects and validates the text around them. */
class Scanner {
  readonly #isRow: IsRow;
  #records: string[] = [];
  #lines: number[] = [];
  #line = 1;
  #inString = false;
  #isEscaped = false;
  /** The number of open arrays and objects in the current object, including itself. */
  #depth = 0;
  #recordLine = 0;
  /** Parts of the current object from earlier chunks. */
  #pieces: Buffer[] = [];
  /** The text of the current top-level value without the objects of its list. */
  #frame = '';
  #stack: number[] = [];
  #list: List | undefined;

  constructor(isRow: IsRow) {
    this.#isRow = isRow;
  }

  /** Returns the objects since the last call. */
  take(): RecordBatch<string> {
    const batch = { records: this.#records, lines: this.#lines };
    this.#records = [];
    this.#lines = [];
    return batch;
  }

  /** Returns an error, after which nothing more can be read. */
  read(chunk: Buffer): Notice | undefined {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#inString = false;
        continue;
      }
      if (byte === quote) this.#inString = true;
      else if (byte === newLine) this.#line += 1;
      else if (this.#depth > 0) {
        if (byte === openBrace || byte === openBracket) this.#depth += 1;
        else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
        else continue;
        if (this.#depth > 0) continue;
        this.#endRecord(chunk.subarray(start, at + 1));
        start = at + 1;
      } else if (byte === openBrace || byte === openBracket || byte === closeBrace || byte === closeBracket) {
        this.#frame += chunk.toString('utf8', start, at);
        start = at;
        const fault = byte === openBrace || byte === openBracket ? this.#open(byte) : this.#close(byte);
        if (fault !== undefined) return { line: this.#line, reason: fault };
        // The text of an object begins with its brace.
        if (this.#depth === 0) start = at + 1;
      }
    }
    const rest = chunk.subarray(start);
    if (this.#depth > 0) this.#pieces.push(rest);
    else this.#frame += rest.toString();
    const held = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (held > maxRecordLength) return { line: this.#recordLine, reason: `the object is longer than ${maxRecordLength} bytes` };
    return this.#frame.length > maxFrameLength
      ? { line: this.#line, reason: 'too much text outside the list of links' }
      : undefined;
  }

  end(): Notice | undefined {
    const isWhole = this.#depth === 0 && this.#stack.length === 0 && !this.#inString;
    if (!isWhole) return { line: this.#line, reason: 'not valid JSON: unexpected end' };
    const rest = this.#frame.trimStart();
    return rest === '' ? undefined : { line: this.#line - (rest.split('\n').length - 1), reason: expected };
  }

  #endRecord(last: Buffer): void {
    const text = this.#pieces.length === 0 ? last.toString() : Buffer.concat([...this.#pieces, last]).toString();
    this.#pieces = [];
    this.#add(text, this.#recordLine);
  }

  #add(text: string, line: number): void {
    this.#records.push(text);
    this.#lines.push(line);
  }

  #open(byte: number): string | undefined {
    if (this.#stack.length === 0) {
      if (this.#frame.trim() !== '') return expected;
      this.#frame = '';
      this.#recordLine = this.#line;
    }
    if (byte === openBrace && this.#isListed()) return this.#openRecord();
    this.#frame += String.fromCharCode(byte);
    this.#stack.push(byte);
    return this.#stack.length > 1000 ? 'not valid JSON: nested too deeply' : undefined;
  }

  /** The next object belongs to a list. */
  #isListed(): boolean {
    const depth = this.#stack.length;
    if (depth > maxListDepth || this.#stack.slice(0, -1).includes(openBracket)) return false;
    if (this.#list?.isOpen) return depth === this.#list.depth;
    return this.#stack.at(-1) === openBracket || (depth > 1 && /\d"\s*:\s*$/.test(this.#frame));
  }

  #openRecord(): string | undefined {
    const isArray = this.#stack.at(-1) === openBracket;
    if (this.#list === undefined) {
      if (isArray && !/\[\s*$/.test(this.#frame)) return expected;
      this.#frame += '0';
      this.#list = { depth: this.#stack.length, count: 0, mark: this.#frame.length, isOpen: true };
    } else {
      if (!this.#list.isOpen) return 'there are several lists of objects: keep the one of links';
      const between = this.#frame.slice(this.#list.mark);
      if (!(isArray ? /^\s*,\s*$/ : /^\s*,\s*"(?:[^"\\]|\\.)*"\s*:\s*$/).test(between))
        return faultAfter(this.#list.count, `${between}null`, isArray) ?? 'not valid JSON between two objects';
      this.#frame = this.#frame.slice(0, this.#list.mark);
    }
    this.#list.count += 1;
    this.#depth = 1;
    this.#recordLine = this.#line;
    return undefined;
  }

  #close(byte: number): string | undefined {
    const opened = this.#stack.pop();
    if (opened === undefined || (opened === openBrace) !== (byte === closeBrace)) return 'not valid JSON';
    if (this.#list?.isOpen && this.#stack.length < this.#list.depth) {
      const rest = this.#frame.slice(this.#list.mark).trim();
      if (rest !== '')
        return faultAfter(this.#list.count, rest, opened === openBracket) ?? 'not valid JSON after the last object';
      this.#list.isOpen = false;
    }
    this.#frame += String.fromCharCode(byte);
    return this.#stack.length === 0 ? this.#endValue() : undefined;
  }

  /** A top-level value without a list is a row or an empty list. */
  #endValue(): string | undefined {
    const [frame, hadList] = [this.#frame, this.#list !== undefined];
    this.#frame = '';
    this.#list = undefined;
    const value = parseJson(frame);
    if (hadList) return value === undefined ? 'not valid JSON around the list of objects' : undefined;
    if (Array.isArray(value)) return value.length === 0 ? undefined : expected;
    const isEmptyList = isObject(value) && !this.#isRow(value) && listsIn(value).some((list) => list.length === 0);
    if (!isEmptyList) this.#add(frame.trim(), this.#recordLine);
    return undefined;
  }
}

/** Undefined if the rest of the list is not valid JSON. */
function faultAfter(count: number, rest: string, isArray: boolean): string | undefined {
  const isValid = parseJson(isArray ? `[null${rest}]` : `{"":null${rest}}`) !== undefined;
  return isValid ? `item ${count + 1} of the list is not an object` : undefined;
}

const expected = 'expected a JSON object on each line, an array of objects, or an object with one such array';

/** Includes arrays in nested objects. */
function listsIn(object: object, depth = 1): unknown[][] {
  return Object.values(object).flatMap((value) => {
    if (Array.isArray(value)) return [value];
    return isObject(value) && depth < maxListDepth - 1 ? listsIn(value, depth + 1) : [];
  });
}

/** Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  return orElse(() => JSON.parse(text), undefined);
}
