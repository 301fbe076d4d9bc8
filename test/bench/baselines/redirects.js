import { createServer } from 'node:http';

/** Answers every visit with the same redirect; looks nothing up and counts nothing. */
const server = createServer((_, response) => {
  response.writeHead(303, {
    location: 'https://shop.example.com/catalogue/item/12345?utm_source=newsletter',
    'cache-control': 'no-store',
    'content-length': 0,
  });
  response.end();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
