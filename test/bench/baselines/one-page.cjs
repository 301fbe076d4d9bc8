const { get } = require('node:http');

/** The call of `list --limit 500` and nothing else: one GET with Node's own client, and a line for each link. No ES module, as `one-call.cjs`. */
const auth = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
get(`${process.argv[2]}/urls?limit=500`, { headers: { authorization: auth } }, (answer) => {
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  answer.on('end', () => {
    const lines = JSON.parse(text).urls.map(({ hash, short_url, long_url, total_clicks, note }) =>
      [hash, short_url, long_url, total_clicks, note].join('\t'),
    );
    process.stdout.write(`${lines.join('\n')}\n`);
  });
});
