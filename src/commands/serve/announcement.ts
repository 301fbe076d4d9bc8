import { flagText } from '../../base/quoted.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { enumerated } from '../../contract/link.ts';
import { isLoopback } from '../../contract/web-address.ts';
import { printReport } from '../../output/print.ts';
import { quantity } from '../../output/quantity.ts';
import { apiRoot } from '../../service/dispatcher.ts';
import type { RunningService } from '../../service/service.ts';
import type { Imported, ServiceOptions } from '../../service/service-options.ts';
import type { ServiceKeys } from './service-keys.ts';

/**
 * Warns if other machines can reach the service. Shows a new key once and only on a terminal, because other output ends up in logs.
 */
export async function announce(
  service: RunningService,
  settings: ServiceOptions,
  { path, keys, isNew }: ServiceKeys,
  invocation: Invocation,
): Promise<void> {
  const { host = '', metricsHost = '127.0.0.1', certificate, username, edition, publicUrl } = settings;
  const { port, domains, metricsPort } = service;
  const isWide = ['0.0.0.0', '::', ''].includes(host);
  if (!isLoopback(host)) {
    await invocation.warn(
      `${isWide ? 'any machine that can reach this one' : `any client that can reach ${host}`} can follow links and, with the key, use the API, ` +
        `${certificate ? '' : 'unencrypted, '}on port ${port}`,
    );
  }
  if (metricsPort !== undefined && !isLoopback(metricsHost)) {
    await invocation.warn(`health and metrics need no key on port ${metricsPort}`);
  }
  for (const { name, links } of service.formerDomains) {
    await invocation.note(
      `${quantity(links, 'link')} of ${name} ${links === 1 ? 'works' : 'work'} as long as that host points to this service; new links use ${domains[0]}`,
    );
  }
  await warnOfOtherAccounts(service, settings, invocation);
  const record = {
    base_url: localBaseUrl(service, settings),
    ...(publicUrl !== undefined && { public_url: publicUrl }),
    ...(metricsPort !== undefined && { metrics_url: `http://${reachable(metricsHost)}:${metricsPort}/metrics` }),
    username,
    api_key_file: path,
    ...(isNew && invocation.streams.terminal && { api_key: keys[0] }),
    edition,
    domains,
  };
  await printReport({ kind: 'record', record }, invocation.output, invocation.streams);
  if (invocation.streams.watched) await invocation.note('listening; press Ctrl-C to stop');
}

const shownAccounts = 5;

/** Several accounts in one store are allowed, but printed links are not found if the wrong one is served. */
async function warnOfOtherAccounts(
  service: RunningService,
  { username, edition }: ServiceOptions,
  { warn }: Invocation,
): Promise<void> {
  const { accounts, file } = await service.otherAccounts();
  const shown = accounts.slice(0, shownAccounts).map((other) => {
    const flags = `${flagText('--username', other.username)} --edition ${other.edition}`;
    return `${quantity(other.links, 'link')} (${flags})`;
  });
  const more = accounts.length - shown.length;
  if (more > 0) shown.push(`those of ${quantity(more, 'other account')}`);
  if (file !== undefined) shown.push(`the file ${file} (--edition ${edition === 'a' ? 'b' : 'a'})`);
  if (shown.length === 0) return;
  await warn(
    `the account "${username}" of edition ${edition.toUpperCase()} has no links; not served from the same place: ${enumerated(shown, 'and')}`,
  );
}

/** Says what an import has moved. */
export function withReport(store: ServiceOptions['store'], { note, warn }: Invocation): ServiceOptions['store'] {
  if (!store?.importFrom) return store;
  const onImported = ({ isNew, isCurrent, urls, tags, clicks, log }: Imported): void => {
    if (!isCurrent) {
      void warn(
        `${store.importFrom} is not imported: ${quantity(urls, 'link')} were imported before, from this folder as it was then or from another ` +
          'one; to move what is in it now, serve it on another port and use "linkctl copy"',
      );
      return;
    }
    void note(
      `${isNew ? 'imported' : 'nothing to import: already imported'} ${quantity(urls, 'link')}, ${quantity(tags, 'tag')}, ` +
        `${quantity(clicks, 'click')} and ${quantity(log, 'line')} of the log`,
    );
  };
  return { ...store, onImported };
}

/** A certificate is issued for a name, which is `localhost` on this machine. */
function localBaseUrl({ port }: RunningService, { host = '', certificate }: ServiceOptions): string {
  const name = reachable(host);
  return `${certificate ? 'https' : 'http'}://${certificate && isLoopback(name) ? 'localhost' : name}:${port}${apiRoot}`;
}

/** A wildcard address cannot be opened in a client. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  return host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
}
