import { isUtf8 } from 'node:buffer';
import { header, type ServiceRequest } from '../message.ts';
import { Refusal } from './refusal.ts';

/** Parses the two form encodings as forms and tries everything else as JSON, as public deployments do. */
export async function readPayload(request: ServiceRequest): Promise<unknown> {
  const type = header(request, 'content-type') ?? '';
  const body = await request.body();
  if (!/^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return readJson(body);
  // Loads the parser only for forms, since most calls are JSON.
  const { readForm } = await import('./forms.ts');
  return await readForm(type, body);
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
