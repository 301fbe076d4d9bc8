import { isUtf8 } from 'node:buffer';
import { header, type ServiceRequest } from './message.ts';
import { Refusal } from './refusal.ts';

/**
 * The payload of a request. The two form encodings are forms and everything else is tried as JSON. Not shown in API.md; as
 * public deployments do (FIELD-NOTES 13).
 */
export async function readPayload(request: ServiceRequest): Promise<unknown> {
  const type = header(request, 'content-type') ?? '';
  const body = await request.body();
  if (!/^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return readJson(body);
  // The parser is loaded when a form arrives: most calls are JSON.
  const { readForm } = await import('./forms.ts');
  return await readForm(type, body);
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
