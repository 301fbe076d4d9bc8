import { request } from 'node:http';

/** The call of `shorten URL` and nothing else: one POST with Node's own client. */
const auth = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
const headers = { authorization: auth, 'content-type': 'application/json' };
const call = request(`${process.argv[2]}/urls`, { method: 'POST', headers }, (answer) => {
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  answer.on('end', () => process.stdout.write(`${JSON.parse(text).urls[0].short_url}\n`));
});
call.end(JSON.stringify({ urls: [{ long_url: process.argv[3], custom_hash: 'h00000000' }] }));
