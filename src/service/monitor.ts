import type { ClickCounter } from './click-counter.ts';
import type { ServiceRequest, ServiceResponse } from './message.ts';
import { type Metrics, metricsType } from './metrics.ts';
import { OutdatedProgram } from './store/outdated-program.ts';
import type { Store } from './store/store.ts';
import { withinMoment } from './store/timeout.ts';

/**
 * Answers `GET /healthz` and `GET /metrics`, on a port of their own. `patience`: milliseconds for which a store may be silent and is
 * still well.
 */
export function monitor(
  metrics: Metrics,
  store: Pick<Store, 'ping'>,
  clicks: Pick<ClickCounter, 'waiting'>,
  patience = 2000,
  isDraining: () => boolean = () => false,
): (request: ServiceRequest) => Promise<ServiceResponse> {
  return async ({ method, target }) => {
    const [path] = target.split('?');
    if (path !== '/healthz' && path !== '/metrics') return text(404, 'not found: use /healthz or /metrics\n');
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'method not allowed\n', { allow: 'GET, HEAD' });
    if (path === '/metrics') return text(200, metrics.text(clicks.waiting()), { 'content-type': metricsType });
    const fault = isDraining() ? 'stopping' : await faultOf(store, patience);
    return fault === undefined ? text(200, 'ok\n') : text(503, `${fault}\n`);
  };
}

const silence = 'the store does not answer';

/** Why the store cannot be used. */
function faultOf(store: Pick<Store, 'ping'>, patience: number): Promise<string | undefined> {
  const answer = store.ping().then(
    () => undefined,
    (error: unknown) => (error instanceof OutdatedProgram ? error.message : silence),
  );
  return withinMoment(patience, answer, silence);
}

function text(status: number, body: string, headers: ServiceResponse['headers'] = {}): ServiceResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers }, body };
}
