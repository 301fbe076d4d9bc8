import { createServer } from 'node:http';

/**
 * An account whose links lead to many hosts, and these hosts: addresses of 127.0.0.0/8, so that each is a host of its own without any
 * names. `latency`: milliseconds until a host answers.
 */
const [links, hosts, latency] = process.argv.slice(2).map(Number);
let port = 0;

const server = createServer((request, response) => {
  if (!request.url.startsWith('/api/')) return void setTimeout(() => response.writeHead(200).end(), latency);
  const { searchParams } = new URL(request.url, 'http://localhost');
  const offset = Number(searchParams.get('offset') ?? 0);
  const count = Math.max(0, Math.min(Number(searchParams.get('limit') ?? 1000), links - offset));
  const urls = Array.from({ length: count }, (_, nth) => linkOf(offset + nth));
  const page = { results_count: count, total_count: links, offset };
  const domains = [{ domain: 'go.example', status: 'default' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code: 0, message: '' }, urls, page, domains }));
});

/** Neighbours lead to one host, as campaigns do. */
function linkOf(nth) {
  const host = Math.floor((nth * hosts) / links);
  const hash = `h${nth}`;
  return {
    hash,
    short_url: `go.example/${hash}`,
    long_url: `http://127.1.${host >> 8}.${host & 255}:${port}/catalogue/item/${nth}`,
  };
}

server.listen(0, '0.0.0.0', () => {
  ({ port } = server.address());
  process.stdout.write(`http://127.0.0.1:${port}/api/3\n`);
});
