import type { Exchange } from '../../service/message.ts';

/** A request as a line for people (V6): `12:00:00Z 303 GET /abc 0.4 ms`. Without the query, which can be long. */
export function requestLine({ request, response, milliseconds }: Exchange, now: number): string {
  const time = new Date(now).toISOString().slice(11, 19);
  const [path = ''] = request.target.split('?');
  return `${time}Z ${response.status} ${request.method} ${path} ${milliseconds.toFixed(1)} ms`;
}
