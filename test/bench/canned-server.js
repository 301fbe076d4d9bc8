import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

/**
 * A server on loopback that spends next to nothing on an answer, so that what is measured is the client: batches and pages are
 * copied from templates in which only the digits of hash and URL change. It understands the rows of `rows.js`, edits of their notes and
 * the rewrite of `changes.js`, and nothing else.
 */
export async function startCannedServer({ port = 0, latency = 0, pageTotal = 1_000_000, onSale = 1 } = {}) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = answer(request, Buffer.concat(chunks), { pageTotal, onSale });
      const send = () => response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
      latency > 0 ? setTimeout(send, latency) : send();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Digits of a row's number in hashes and URLs: rows have one width. */
const width = 8;
const mark = '#'.repeat(width);
const record = {
  hash: `h${mark}`,
  long_url: `https://shop.example.com/catalogue/item/${mark}?utm_source=newsletter`,
  short_url: `go.example/h${mark}`,
  short_url_with_protocol: `https://go.example/h${mark}`,
  total_clicks: 0,
  unique_clicks: 0,
  last_visit: null,
  note: 'spring sale, week 12',
  email_stats: false,
  expiration_date: null,
  max_clicks: 0,
  tags: ['spring', 'sale', 'home-and-garden'],
  links: { qr_small: `https://go.example/qr/s/h${mark}`, qr_big: `https://go.example/qr/b/h${mark}` },
  error: { code: 0, message: '', details: '' },
};
/** Of the same length, with the digits in the same places: links as they are, those of some rows in ten, and links that were changed. */
const usual = Buffer.from(JSON.stringify(record));
const sale = variant('shop.example', 'sale.example');
const moved = variant('shop.example', 'club.example');
const noted = variant('spring sale, week 12', 'autumn sale, week 40');
const places = [...usual.toString().matchAll(new RegExp(mark, 'g'))].map(({ index }) => index);

function variant(text, instead) {
  return Buffer.from(JSON.stringify(record).replace(text, instead));
}

function answer({ method, url }, body, { pageTotal, onSale }) {
  if (method === 'DELETE') return done;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const named = searchParams.get('hashes');
  const ofRow = (digits) => (digits.charCodeAt(width - 1) - 48 < onSale ? sale : usual);
  if (method !== 'GET') {
    const text = body.toString('latin1');
    const changed = text.includes('"long_url"') ? moved : noted;
    const numbers = numbersIn(named ?? text);
    return envelope(numbers.length > 0 ? numbers : numbersInUrls(text), '', method === 'PATCH' ? () => changed : () => usual);
  }
  if (named !== null) return envelope(numbersIn(named), '', ofRow);
  // The base URL of a host alone has a path of its own.
  const fixed = answers[pathname.slice(pathname.lastIndexOf('/'))];
  if (fixed) return fixed;
  const offset = Number(searchParams.get('offset') ?? 0);
  const count = Math.max(0, Math.min(Number(searchParams.get('limit') ?? 1000), pageTotal - offset));
  const numbers = Array.from({ length: count }, (_, index) => String(pageTotal - 1 - offset - index).padStart(width, '0'));
  return envelope(numbers, `,"page":{"results_count":${count},"total_count":${pageTotal},"offset":${offset}}`, ofRow);
}

function numbersIn(text) {
  return [...text.matchAll(/(?:^|,|hash": ?")h(\d{8})/g)].map(([, digits]) => digits);
}

/** Of new links, whose hashes the server chooses. */
function numbersInUrls(text) {
  return [...text.matchAll(/\/item\/(\d{8})/g)].map(([, digits]) => digits);
}

const head = '{"error":{"code":0,"message":""},"urls":[';
const success = { code: 0, message: '' };
const room = { count: 1, limit: 100_000_000 };
const counters = { urls: room, today_api_calls: room, month_urls: room };
const domain = {
  domain: 'go.example',
  hash_character_set: 'restricted',
  hash_generation: 'random',
  status: 'default',
  redirect_code: '303',
};
const answers = {
  '/account': json({
    account: { user_id: '1', username: 'ann', account_expiration_date: '2099-01-01 00:00:00', subscription_plan: 'x', counters },
  }),
  '/domains': json({ version: '3.1', domains: [{ ...domain, custom_root_page: '', custom_404_page: '', use_https: true }] }),
};

const done = json({});

function json(payload) {
  return Buffer.from(JSON.stringify({ error: success, ...payload }));
}

function envelope(numbers, tail, itemOf) {
  const end = `]${tail}}`;
  const size = head.length + numbers.length * (usual.length + 1) - Math.min(1, numbers.length) + end.length;
  const body = Buffer.allocUnsafe(size);
  let at = body.write(head);
  numbers.forEach((digits, index) => {
    if (index > 0) body[at++] = 44;
    itemOf(digits).copy(body, at);
    for (const place of places) body.latin1Write(digits, at + place);
    at += usual.length;
  });
  body.write(end, at);
  return body;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [port, latency, pageTotal, onSale] = process.argv.slice(2).map(Number);
  const { baseUrl } = await startCannedServer({ port, latency, pageTotal, onSale });
  process.stdout.write(`${baseUrl}\n`);
}
