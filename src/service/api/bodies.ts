import { isUtf8 } from 'node:buffer';
import { header, type ServiceRequest } from '../message.ts';
import { Refusal } from './refusal.ts';

/** Parses the two form encodings as forms and tries everything else as JSON, as public deployments do. */
export async function readPayload(request: ServiceRequest): Promise<unknown> {
  const type = header(request, 'content-type') ?? '';
  const body = await request.body();
  const isForm = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
  return isForm ? readForm(type, body) : readJson(body);
}

/** Invalid JSON is 1305: parameters are missing. */
function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Refusal(1305);
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Refusal(1305);
  }
}

/** Ten fields per item of the largest batch. */
const maximumFields = 10_000;

/** Sizes in bytes. The size of the whole body is already limited. */
const formLimits = { fieldSize: Number.MAX_SAFE_INTEGER, fieldNameSize: 200, fields: maximumFields + 1 };

/** Parses the fields of a form and the brackets in their names. Throws 1305 for an invalid form or encoding and 1310 for too many fields. */
async function readForm(type: string, body: Buffer): Promise<{ [name: string]: FormValue }> {
  // Loaded only for forms, since most calls are JSON.
  const { Busboy } = await import('./form-parser.ts');
  const entries: [string, string][] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = new Busboy({ headers: { 'content-type': type }, limits: formLimits });
    parser.on('field', (name, value) => entries.push([name, value]));
    parser.on('file', (_name, stream) => stream.on('error', reject).resume());
    parser.on('finish', resolve);
    parser.on('error', reject);
    parser.end(body);
  }).catch((error: unknown) => {
    // The library throws none: it would be a fault of this program.
    throw error instanceof TypeError ? error : new Refusal(1305);
  });
  if (entries.length > maximumFields) throw new Refusal(1310);
  // The parser replaces invalid bytes, which would store another text than was sent.
  if (entries.join().includes('\uFFFD') && !isUtf8(formBytes(type, body))) throw new Refusal(1305);
  return readBrackets(entries);
}

/** The bytes of names and values, without percent-encoding. */
function formBytes(type: string, body: Buffer): Buffer {
  if (/^\s*multipart/i.test(type)) return body;
  const text = body
    .toString('latin1')
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}

/** Text, or a structure built from brackets in names. */
type FormValue = string | FormValue[] | { [name: string]: FormValue };

type Branch = Map<string, Branch | string>;

/** Far deeper than `urls[0][tags][]`. */
const maximumDepth = 5;

/** Turns `urls[0][long_url]`, `urls[0][tags][]` and `urls[0][tags][1]` into objects and arrays. Ignores other names. */
export function readBrackets(entries: readonly (readonly [name: string, value: string])[]): { [name: string]: FormValue } {
  const root: Branch = new Map();
  for (const [name, value] of entries) {
    const keys = splitName(name);
    if (keys) place(root, keys, value);
  }
  return object(root);
}

function splitName(name: string): string[] | undefined {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) return undefined;
  const [, first = '', rest = ''] = match;
  const keys = [first, ...Array.from(rest.matchAll(/\[([^\]]*)\]/g), ([, key = '']) => key)];
  return keys.length <= maximumDepth ? keys : undefined;
}

function place(root: Branch, keys: readonly string[], value: string): void {
  let branch = root;
  for (const key of keys.slice(0, -1)) {
    const name = key === '' ? String(branch.size) : key;
    let next = branch.get(name);
    if (!(next instanceof Map)) {
      next = new Map();
      branch.set(name, next);
    }
    branch = next;
  }
  const last = keys.at(-1) ?? '';
  branch.set(last === '' ? String(branch.size) : last, value);
}

function finish(branch: Branch | string): FormValue {
  if (typeof branch === 'string') return branch;
  const isList = [...branch.keys()].every((key) => /^\d+$/.test(key));
  if (!isList) return object(branch);
  return [...branch].sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => finish(value));
}

/** Without a prototype because names come from outside. */
function object(branch: Branch): { [name: string]: FormValue } {
  const result: { [name: string]: FormValue } = Object.create(null);
  for (const [name, value] of branch) result[name] = finish(value);
  return result;
}
