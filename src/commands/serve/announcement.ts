import type { Invocation } from '../../cli/invocation.ts';
import { isLoopback } from '../../contract/web-address.ts';
import { printReport } from '../../output/print.ts';
import { apiRoot } from '../../service/dispatcher.ts';
import type { RunningService } from '../../service/service.ts';
import type { ServiceOptions } from '../../service/service-options.ts';

/** Prints where the service is and who may use it, and warns where others can reach it (R-54). */
export async function announce(service: RunningService, settings: ServiceOptions, invocation: Invocation): Promise<void> {
  const { host = '', certificate, username, apiKey: api_key, edition, useHttps } = settings;
  const { port, domains, metricsPort } = service;
  const isWide = ['0.0.0.0', '::', ''].includes(host);
  if (!isLoopback(host)) {
    await invocation.warn(
      `${isWide ? 'any machine that can reach this one' : `any client that can reach ${host}`} can follow links and, with the key, use the API, ` +
        `${certificate ? '' : 'unencrypted, '}on port ${port}`,
    );
    if (metricsPort !== undefined) await invocation.warn(`health and metrics need no key on port ${metricsPort}`);
  }
  const record = {
    base_url: ownBaseUrl(service, settings),
    // Known where a public URL is given.
    ...(useHttps !== undefined && { public_url: `${useHttps ? 'https' : 'http'}://${domains[0]}` }),
    ...(metricsPort !== undefined && { metrics_url: `http://${reachable(host)}:${metricsPort}/metrics` }),
    username,
    api_key,
    edition,
    domains,
  };
  await printReport({ kind: 'record', record }, invocation.output, invocation.streams);
  if (invocation.streams.watched) await invocation.note('listening; press Ctrl-C to stop');
}

/** Certificates are for names: on this machine, that is `localhost`. */
function ownBaseUrl({ port }: RunningService, { host = '', certificate }: ServiceOptions): string {
  const name = reachable(host);
  return `${certificate ? 'https' : 'http'}://${certificate && isLoopback(name) ? 'localhost' : name}:${port}${apiRoot}`;
}

/** An address of this machine where it listens on all of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  return host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
}
