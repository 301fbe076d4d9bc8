import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { UsageError } from '../base/errors.ts';

/**
 * Converts text to UTF-8 without a byte order mark, in chunks that end between characters. Accepts UTF-8, UTF-16LE with a mark, and
 * `encoding`. Throws a UsageError for anything that is not text: archives, web pages, NUL bytes and, with its line, a byte of another
 * encoding.
 */
export async function* utf8Text(chunks: AsyncIterable<Buffer>, name: string, encoding?: string): AsyncGenerator<Buffer> {
  const decoding = new Decoding(name, encoding);
  let held: Buffer = nothing;
  for await (const chunk of chunks) {
    const more = decoding.add(chunk);
    const text = held.length === 0 ? more : Buffer.concat([held, more]);
    const end = text.length - endMark(text);
    held = text.subarray(end);
    if (end > 0) yield text.subarray(0, end);
  }
  const rest = Buffer.concat([held, decoding.end()]);
  const end = rest.length - endMark(rest);
  if (end > 0) yield rest.subarray(0, end);
}

/** The length of a possible end mark of DOS programs: Ctrl-Z, followed only by a line end. */
function endMark(text: Buffer): number {
  return /\x1a[\r\n]*$/.exec(text.toString('latin1', Math.max(0, text.length - 3)))?.[0].length ?? 0;
}

/** Throws a UsageError for an unknown encoding. */
export function assertEncoding(label: string): void {
  try {
    new TextDecoder(label);
  } catch (cause) {
    throw new UsageError(`--encoding: ${JSON.stringify(label)} is not known; expected a name such as windows-1252`, { cause });
  }
}

/** Enough bytes to recognize an archive or a web page. A pipe may deliver them one at a time. */
const headBytes = 64;
const nothing = Buffer.alloc(0);

class Decoding {
  readonly #name: string;
  /** Bytes that cannot be decoded yet: the head, or a part of a character. */
  #held: Buffer = nothing;
  #begun = false;
  /** Absent for UTF-8. */
  #decoder: TextDecoder | undefined;
  /** Bytes before the current chunk. */
  #offset = 0;
  /** Line ends before the current chunk. */
  #lines = 0;

  constructor(name: string, encoding: string | undefined) {
    this.#name = name;
    if (encoding !== undefined) this.#decoder = new TextDecoder(encoding, { fatal: true });
  }

  add(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (this.#begun || bytes.length >= headBytes) return this.#text(bytes);
    this.#held = bytes;
    return nothing;
  }

  end(): Buffer {
    const text = this.#begun ? nothing : this.#text(this.#held);
    if (this.#decoder) this.#decoded(this.#decoder, undefined);
    if (this.#held.length === 0) return text;
    throw this.#notUtf8(this.#held, 0);
  }

  #text(bytes: Buffer): Buffer {
    const body = this.#begun ? bytes : this.#begin(bytes);
    if (this.#decoder) return this.#decoded(this.#decoder, body);
    const end = body.length - unfinished(body);
    const whole = body.subarray(0, end);
    this.#verify(whole);
    this.#offset += end;
    this.#lines += linesIn(whole);
    this.#held = body.subarray(end);
    return whole;
  }

  /** Detects the encoding. Returns the head without a UTF-8 mark. */
  #begin(head: Buffer): Buffer {
    refuseOther(head, this.#name, this.#decoder !== undefined);
    this.#begun = true;
    this.#held = nothing;
    if (this.#decoder) return head;
    if (head[0] === 0xff && head[1] === 0xfe) this.#decoder = new TextDecoder('utf-16le', { fatal: true });
    if (head[0] !== 0xef || head[1] !== 0xbb || head[2] !== 0xbf) return head;
    this.#offset = 3;
    return head.subarray(3);
  }

  /** Call without bytes at the end of the text. */
  #decoded(decoder: TextDecoder, bytes: Buffer | undefined): Buffer {
    try {
      const text = Buffer.from(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode());
      if (text.includes(0)) throw new UsageError(`${this.#name} is not a text file: NUL character after offset ${this.#offset}`);
      this.#offset += bytes?.length ?? 0;
      this.#lines += linesIn(text);
      return text;
    } catch (cause) {
      if (cause instanceof UsageError) throw cause;
      const encoding = decoder.encoding.toUpperCase().replace('UTF-16LE', 'UTF-16');
      throw new UsageError(`${this.#name} is not valid ${encoding} after line ${this.#lines + 1}, offset ${this.#offset}`, {
        cause,
      });
    }
  }

  #verify(bytes: Buffer): void {
    const zero = bytes.indexOf(0);
    if (zero >= 0) throw new UsageError(`${this.#name} is not a text file: NUL byte at offset ${this.#offset + zero}`);
    if (!isUtf8(bytes)) throw this.#notUtf8(bytes, firstInvalid(bytes));
  }

  #notUtf8(bytes: Buffer, at: number): UsageError {
    const line = this.#lines + linesIn(bytes.subarray(0, at)) + 1;
    const byte = (bytes[at] ?? 0).toString(16).padStart(2, '0');
    return new UsageError(`${this.#name}:${line}: file is not UTF-8: invalid byte ${byte} at offset ${this.#offset + at}`, {
      hint: remedy('windows-1252'),
    });
  }
}

/** Counts line ends as an editor does. */
function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  if (count > 0) return count;
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) count += 1;
  return count;
}

const archives: readonly (readonly [hex: string, what: string])[] = [
  ['1f8b', 'a gzip file: unpack it first'],
  ['504b0304', 'a zip file or an .xlsx workbook: export it as CSV (UTF-8) first'],
  ['d0cf11e0', 'an old Excel workbook: export it as CSV (UTF-8) first'],
];

function refuseOther(head: Buffer, name: string, isEncodingGiven: boolean): void {
  const hex = head.toString('hex', 0, 4);
  const archive = archives.find(([start]) => hex.startsWith(start));
  if (archive) throw new UsageError(`${name} is ${archive[1]}`);
  if (/^(?:\ufeff)?\s*<(?:!doctype|html|\?xml)/i.test(head.toString())) {
    throw new UsageError(`${name} is an HTML or XML file, not a list of URLs`);
  }
  if (isEncodingGiven) return;
  const encoding = wideEncoding(hex);
  if (encoding === undefined) return;
  const hint = remedy(encoding === 'utf-32' ? undefined : encoding);
  throw new UsageError(`${name}: file is not UTF-8: it looks like UTF-16 or UTF-32`, { hint });
}

/** Lists of hashes and the bodies of raw calls have no flag for their encoding. */
function remedy(encoding: string | undefined): string {
  const flag = encoding === undefined ? '' : `, or with -f set its encoding, such as --encoding ${encoding}`;
  return `save it as UTF-8 ("CSV UTF-8" in spreadsheets)${flag}`;
}

/** Recognizes UTF-32 and UTF-16 by their marks or, for ASCII text, by the zeros beside the first character. No decoder reads UTF-32. */
function wideEncoding(hex: string): 'utf-32' | 'utf-16be' | 'utf-16le' | undefined {
  if (/^(?:fffe0000|0000feff|(?!00)..000000)/.test(hex)) return 'utf-32';
  if (/^(?:feff|00(?!00)..)/.test(hex)) return 'utf-16be';
  return /^(?!00)..00/.test(hex) ? 'utf-16le' : undefined;
}

/** Returns the length of a part at the end that may be the beginning of a character. */
function unfinished(bytes: Buffer): number {
  return [0, 1, 2, 3].find((length) => isUtf8(bytes.subarray(0, bytes.length - length))) ?? 0;
}

function characterLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function firstInvalid(bytes: Buffer): number {
  let position = 0;
  for (;;) {
    const length = characterLength(bytes[position] ?? 0);
    if (position >= bytes.length || !isUtf8(bytes.subarray(position, position + length))) return position;
    position += length;
  }
}
