import { Busboy } from '@fastify/busboy';
import { type FormValue, readBrackets } from './brackets.ts';
import { Refusal } from './refusal.ts';

/** Bytes; the body as a whole is bounded already. */
const formLimits = { fieldSize: Number.MAX_SAFE_INTEGER, fieldNameSize: 200 };

/** The fields of a form, their brackets read; 1305 for what is no form. */
export async function readForm(type: string, body: Buffer): Promise<{ [name: string]: FormValue }> {
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
