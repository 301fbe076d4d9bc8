import { request } from 'node:http';

/**
 * What the limits of `check` allow, with nothing else done: a HEAD to each address of the server's links, 32 at once, 4 a host, 50 ms
 * apart, hosts in turn. No journal, no verdicts, no output.
 */
const [baseUrl] = process.argv.slice(2);
const queues = new Map();
for (let offset = 0; ; offset += 1000) {
  const { urls } = await (await fetch(`${baseUrl}/urls?limit=1000&offset=${offset}`)).json();
  for (const { long_url } of urls) {
    const { hostname } = new URL(long_url);
    queues.set(hostname, [...(queues.get(hostname) ?? []), long_url]);
  }
  if (urls.length < 1000) break;
}

const ready = [...queues].map(([, urls]) => ({ urls, inside: 0, isResting: false }));
let inside = 0;

function pump() {
  while (inside < 32 && ready.length > 0) {
    const host = ready.shift();
    const url = host.urls.shift();
    inside += 1;
    host.inside += 1;
    host.isResting = true;
    setTimeout(() => {
      host.isResting = false;
      wake(host);
    }, 50);
    request(url, { method: 'HEAD', agent: false }, (response) => {
      response.resume();
      inside -= 1;
      host.inside -= 1;
      wake(host);
    }).end();
  }
}

function wake(host) {
  if (host.urls.length > 0 && host.inside < 4 && !host.isResting && !ready.includes(host)) ready.push(host);
  pump();
}

pump();
