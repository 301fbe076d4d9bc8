import type { RunningService } from '../../src/service/service.ts';
import type { Ask } from './manners.ts';

/**
 * The way to a service of this process without a second exchange over HTTP, which would take a third of the processor time of a usual test.
 * What is tested still speaks HTTP, with the server in front of it.
 */
export function directlyTo({ baseUrl, answer }: Pick<RunningService, 'baseUrl' | 'answer'>): Ask {
  const { host } = new URL(baseUrl);
  return async ({ method, url, headers, body }) => {
    const response = await answer({ method, target: url, headers: { ...headers, host }, body });
    return {
      status: response.status,
      headers: { 'content-type': response.headers['content-type'] ?? 'application/json' },
      body: Buffer.from(response.body),
    };
  };
}
