import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { UsageError } from '../../base/errors.ts';

/**
 * The same text as UTF-8 without a byte order mark, in pieces that end between characters. Takes UTF-8, and UTF-16LE where a
 * mark says so. Throws a UsageError, with the byte's offset, at anything that is not text: an archive, a web page, NUL
 * bytes, another encoding (C08, C09, C19).
 */
export async function* utf8Text(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const pieces = withHead(chunks);
  try {
    const { value: head, done } = await pieces.next();
    if (done) return;
    refuseOther(head, name);
    const wide = head.length >= 2 && head[0] === 0xff && head[1] === 0xfe;
    yield* wide ? fromUtf16(head, pieces, name) : checked(head, pieces, name);
  } finally {
    // Whoever stops early, the file behind it is closed.
    await pieces.return();
  }
}

/** Bytes that are enough to know an archive or the beginning of a web page. */
const headBytes = 64;

/** The same bytes, the first piece holding at least `headBytes` if there are as many: a pipe may bring one at a time. */
async function* withHead(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (!head) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < headBytes) continue;
      yield head;
      head = undefined;
    }
  }
  if (head?.length) yield head;
}

const archives: readonly (readonly [hex: string, what: string])[] = [
  ['1f8b', 'a gzip file: unpack it first'],
  ['504b0304', 'a zip file or an .xlsx workbook: export it as CSV (UTF-8) first'],
  ['d0cf11e0', 'an old Excel workbook: export it as CSV (UTF-8) first'],
];

function refuseOther(head: Buffer, name: string): void {
  const hex = head.toString('hex', 0, 4);
  const archive = archives.find(([start]) => hex.startsWith(start));
  if (archive) throw new UsageError(`${name} is ${archive[1]}`);
  if (/^(?:\ufeff)?\s*<(?:!doctype|html|\?xml)/i.test(head.toString())) {
    throw new UsageError(`${name} is a web page or XML, not a list of URLs`);
  }
  // UTF-32 and UTF-16 by their marks; without one, ASCII in UTF-16 has every second byte 0.
  const marked = hex === 'fffe0000' || hex.startsWith('feff') || hex === '0000feff';
  if (marked || (head.length >= 2 && (head[0] === 0) !== (head[1] === 0))) throw notUtf8(name, 'it looks like UTF-16 or UTF-32');
}

async function* checked(head: Buffer, pieces: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const marked = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  let offset = marked ? 3 : 0;
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of prepended(marked ? head.subarray(3) : head, pieces)) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
    const end = bytes.length - unfinished(bytes);
    const whole = bytes.subarray(0, end);
    verify(whole, offset, name);
    offset += end;
    held = bytes.subarray(end);
    if (end > 0) yield whole;
  }
  if (held.length > 0) throw notUtf8(name, `the byte at offset ${offset} begins a character that does not end`);
}

async function* prepended(head: Buffer, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* pieces;
}

function verify(bytes: Buffer, offset: number, name: string): void {
  const zero = bytes.indexOf(0);
  if (zero >= 0) throw new UsageError(`${name} is not a text file: NUL byte at offset ${offset + zero}`);
  if (!isUtf8(bytes)) throw notUtf8(name, `invalid byte at offset ${offset + firstInvalid(bytes)}`);
}

/** Length of a character at the end of which only a part is there yet. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < characterLength(byte) ? back : 0;
  }
  return 0;
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

async function* fromUtf16(head: Buffer, pieces: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-16le', { fatal: true });
  let offset = 0;
  for await (const piece of prepended(head, pieces)) {
    const text = Buffer.from(decoded(decoder, piece, offset, name));
    if (text.includes(0)) throw new UsageError(`${name} is not a text file: NUL character after offset ${offset}`);
    offset += piece.length;
    if (text.length > 0) yield text;
  }
  decoded(decoder, undefined, offset, name);
}

function decoded(decoder: TextDecoder, piece: Buffer | undefined, offset: number, name: string): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
  } catch (cause) {
    throw new UsageError(`${name} is not valid UTF-16 after the byte at offset ${offset}`, { cause });
  }
}

function notUtf8(name: string, why: string): UsageError {
  return new UsageError(`${name}: file is not UTF-8: ${why}`, { hint: 'save it as "CSV UTF-8", or convert it with iconv' });
}
