import { connect } from 'node:net';

/**
 * Visits paths on kept connections, one request on each at a time: as fast as they are answered, or `rate` a second. Answers with
 * what was reached a second and, in milliseconds, what 99 of 100 and all waited at most; with a rate, waiting begins when the request was
 * due.
 */
export async function load(origin, { paths, seconds, connections = 32, rate }) {
  const { hostname, port, host } = new URL(origin);
  const until = performance.now() + 1000 * seconds;
  const gap = rate === undefined ? 0 : (1000 * connections) / rate;
  const waits = [];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      visitor({
        hostname,
        port,
        host,
        paths,
        until,
        gap,
        waits,
        first: Math.floor((index * paths.length) / connections),
        lag: (index * gap) / connections,
      }),
    ),
  );
  const elapsed = performance.now() - started;
  waits.sort((one, other) => one - other);
  return { rate: (1000 * waits.length) / elapsed, p99: waits[Math.floor(0.99 * waits.length)], longest: waits.at(-1) };
}

function visitor({ hostname, port, host, paths, until, gap, waits, first, lag }) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    let next = first;
    let due = performance.now() + lag;
    let text = '';
    const send = () => {
      const path = paths[next++ % paths.length];
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: load\r\n\r\n`);
    };
    const plan = () => {
      const now = performance.now();
      if (now >= until) return socket.end();
      if (gap === 0) due = now;
      if (due <= now) send();
      else setTimeout(send, due - now);
    };
    socket.setEncoding('latin1').on('data', (chunk) => {
      text = text === '' ? chunk : text + chunk;
      if (!isWhole(text)) return;
      if (!text.startsWith('HTTP/1.1 30')) return reject(new Error(text.slice(0, 100)));
      text = '';
      waits.push(performance.now() - due);
      due += gap;
      plan();
    });
    socket.once('connect', plan).once('error', reject).once('close', resolve);
  });
}

/** Both servers answer without a body. */
function isWhole(text) {
  return text.endsWith('\r\n\r\n');
}
