import { type ServiceRequest, type ServiceResponse, textResponse } from './message.ts';
import { type Metrics, metricsType } from './metrics.ts';
import type { Store } from './store/store.ts';
import { UnfinishedImport, UnusableStore } from './store/store-options.ts';
import { withTimeout } from './store/timeout.ts';
import type { ClickCounter } from './visits/click-counter.ts';

/**
 * Answers `GET /healthz` and `GET /metrics` on a separate port. `unready` tells why the process takes no requests. A store that does not
 * answer within `timeout` milliseconds is unhealthy.
 */
export function monitor(
  metrics: Metrics,
  store: Pick<Store, 'ping'>,
  clicks: Pick<ClickCounter, 'waiting'>,
  unready: () => string | undefined,
  timeout = 2000,
): (request: ServiceRequest) => Promise<ServiceResponse> {
  return async ({ method, target }) => {
    const [path] = target.split('?');
    if (path !== '/healthz' && path !== '/metrics') return textResponse(404, 'not found: use /healthz or /metrics');
    if (method !== 'GET' && method !== 'HEAD') return textResponse(405, 'method not allowed', { allow: 'GET, HEAD' });
    if (path === '/metrics') return textResponse(200, metrics.text(clicks.waiting()), { 'content-type': metricsType });
    const fault = unready() ?? (await faultOf(store, timeout));
    return fault === undefined ? textResponse(200, 'ok') : textResponse(503, fault);
  };
}

const silence = 'the store does not answer';

/** Returns the reason why the store is unavailable. */
function faultOf(store: Pick<Store, 'ping'>, timeout: number): Promise<string | undefined> {
  const answer = store.ping().then(
    () => undefined,
    (error: unknown) => (error instanceof UnusableStore || error instanceof UnfinishedImport ? error.message : silence),
  );
  return withTimeout(timeout, answer, silence);
}
