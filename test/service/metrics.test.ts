import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test as plain } from 'vitest';
import { startMetrics } from '../../src/service/metrics.ts';
import { monitor } from '../../src/service/monitor.ts';
import { needs } from '../support/tools.ts';
import { rawExchange } from './raw-exchange.ts';
import { authorization, type Client, inBothEditions } from './running-service.ts';

/** Health and figures, on the port that is theirs. */

const url = 'https://example.com/a';

const ask = (client: Client, path: string) => fetch(`http://127.0.0.1:${client.service.metricsPort}${path}`);

/** Values by name and labels, as the text has them. */
async function figures(client: Client): Promise<{ [figure: string]: number }> {
  const text = await (await ask(client, '/metrics')).text();
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

inBothEditions((test, edition) => {
  test('redirects are counted by outcome, calls by operation and error code, both timed', async ({ start, world }) => {
    const client = await start({
      metricsPort: 0,
      ...(edition === 'a' && { domains: [{ name: 'localhost' }, { name: 'go.example' }] }),
    });
    await client.shorten(
      { long_url: url, custom_hash: 'abc' },
      { long_url: url, custom_hash: 'old', expiration_date: '2024-05-14' },
      { long_url: url, custom_hash: 'once', max_clicks: 1 },
    );
    for (const path of ['/abc', '/abc/', '/once', '/once', '/old', '/nosuch', '/', '/abc.qr']) await client.visit(path);
    await client.visit('/abc', {}, 'HEAD');
    await client.visit('/abc', { 'sec-purpose': 'prefetch' });
    await client.call('GET', '/urls/nosuch');
    await client.call('GET', '/nosuch');
    await client.call('GET', '/urls', undefined, { authorization: authorization('eve') });
    for (const text of ['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']) await rawExchange(client.service.port, text);
    const now = await figures(client);
    const limited = edition === 'a' ? 1 : 0;
    expect(now).toMatchObject({
      'linkctl_redirects_total{outcome="redirected"}': 4 - limited,
      'linkctl_redirects_total{outcome="uncounted"}': 2,
      'linkctl_redirects_total{outcome="used_up"}': limited,
      'linkctl_redirects_total{outcome="expired"}': 1,
      'linkctl_redirects_total{outcome="unknown"}': 1,
      'linkctl_redirects_total{outcome="unknown_domain"}': 0,
      'linkctl_redirects_total{outcome="unavailable"}': 0,
      linkctl_redirect_duration_seconds_count: 8,
      'linkctl_redirect_duration_seconds_bucket{le="+Inf"}': 8,
      'linkctl_api_calls_total{operation="shortenUrls",code="0"}': 1,
      'linkctl_api_calls_total{operation="getUrl",code="1306"}': 1,
      'linkctl_api_calls_total{operation="none",code="1301"}': 1,
      'linkctl_api_calls_total{operation="none",code="1102"}': 1,
      'linkctl_api_calls_total{operation="none",code="1308"}': 2,
      'linkctl_api_call_duration_seconds_count{operation="none"}': 4,
      linkctl_clicks_waiting: 0,
      linkctl_store_errors_total: 0,
    });
    expect(now.linkctl_redirect_duration_seconds_sum).toBeGreaterThan(0);
    expect(world.failures).toEqual([]);
  });

  test('promtool reads the figures without a complaint, before the first request and after', async ({ start }) => {
    needs('promtool');
    const client = await start({ metricsPort: 0 });
    expect(await promtool(await (await ask(client, '/metrics')).text())).toEqual([0, '']);
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    await client.visit('/abc');
    await client.call('GET', '/urls/nosuch');
    const text = await (await ask(client, '/metrics')).text();
    expect(await promtool(text)).toEqual([0, '']);
    expect((await promtool(`${text}nonsense{ 1\n`))[0]).not.toBe(0);
  });
});

const request = {
  method: 'GET',
  target: '/',
  host: '',
  httpVersion: '1.1',
  headers: {},
  address: '',
  body: async () => Buffer.alloc(0),
};

plain('health is 503 while the store fails or is silent', async () => {
  const health = (ping: () => Promise<void>) =>
    monitor(startMetrics(), { ping }, { waiting: () => 0 }, () => undefined, 20)({ ...request, target: '/healthz?x' });
  expect(await health(async () => {})).toMatchObject({ status: 200 });
  expect(await health(() => Promise.reject(new Error('gone')))).toMatchObject({ status: 503 });
  expect(await health(() => new Promise(() => {}))).toMatchObject({ status: 503 });
});

plain('a histogram counts each time in every class that is wide enough, and failures are counted', () => {
  const metrics = startMetrics();
  const response = { subject: { kind: 'visit', outcome: 'redirected' }, status: 303, headers: {}, body: '' } as const;
  for (const milliseconds of [0.2, 0.5, 3, 7000]) metrics.count({ request, response, milliseconds });
  metrics.countFailure();
  const lines = metrics.text(7).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'linkctl_redirect_duration_seconds_bucket{le="0.0005"} 2',
      'linkctl_redirect_duration_seconds_bucket{le="0.0025"} 2',
      'linkctl_redirect_duration_seconds_bucket{le="0.005"} 3',
      'linkctl_redirect_duration_seconds_bucket{le="5"} 3',
      'linkctl_redirect_duration_seconds_bucket{le="+Inf"} 4',
      'linkctl_redirect_duration_seconds_count 4',
      'linkctl_clicks_waiting 7',
      'linkctl_store_errors_total 1',
    ]),
  );
});

/** Exit code and complaints. */
async function promtool(text: string): Promise<[code: number, complaints: string]> {
  const child = spawn('promtool', ['check', 'metrics']);
  let complaints = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      complaints += chunk;
    });
  }
  child.stdin.end(text);
  const [code] = await once(child, 'close');
  return [code, complaints];
}
