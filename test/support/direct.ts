import type { RunningService } from '../../src/service/service.ts';
import type { Ask } from './manners.ts';

/**
 * The way to a service of this process without a second exchange over HTTP, which would take a third of the processor time of a usual test.
 * What is tested still speaks HTTP, with the server in front of it.
 */
export function directlyTo({ baseUrl, answer }: Pick<RunningService, 'baseUrl' | 'answer'>): Ask {
  const { host } = new URL(baseUrl);
  return async ({ method, url, headers, body }) => {
    const {
      status,
      headers: answered,
      body: text,
    } = await answer({
      method,
      httpVersion: '1.1',
      target: url,
      host,
      headers,
      address: '127.0.0.1',
      body: async () => body,
    });
    return { status, headers: { 'content-type': answered['content-type'] ?? 'application/json' }, body: Buffer.from(text) };
  };
}
