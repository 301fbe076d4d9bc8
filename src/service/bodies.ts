import { isUtf8 } from 'node:buffer';
import { type FormValue, readBrackets } from './brackets.ts';
import { header, type ServiceRequest } from './message.ts';
import { Refusal } from './refusal.ts';

/**
 * The payload of a request. The two form encodings are forms and everything else is tried as JSON. Not shown in API.md; as
 * public deployments do (FIELD-NOTES 13).
 */
export async function readPayload(request: ServiceRequest): Promise<unknown> {
  const type = header(request, 'content-type') ?? '';
  const body = await request.body();
  return /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type) ? readForm(type, body) : readJson(body);
}

/** 1305 for what is not JSON: the parameters are missing. */
function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Refusal(1305);
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Refusal(1305);
  }
}

/** Bytes; the body as a whole is bounded already. */
const formLimits = { fieldSize: Number.MAX_SAFE_INTEGER, fieldNameSize: 200 };

/** The parser is imported when a form arrives: most calls are JSON. */
async function readForm(type: string, body: Buffer): Promise<{ [name: string]: FormValue }> {
  const { Busboy } = await import('@fastify/busboy');
  const entries: [string, string][] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const parser = new Busboy({ headers: { 'content-type': type }, limits: formLimits });
      parser.on('field', (name, value) => entries.push([name, value]));
      parser.on('file', (_name, stream) => stream.resume());
      parser.on('finish', resolve);
      parser.on('error', reject);
      parser.end(body);
    });
  } catch {
    throw new Refusal(1305);
  }
  return readBrackets(entries);
}
