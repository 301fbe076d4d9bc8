import { expect, test } from 'vitest';
import { traitsOf } from '../../../src/client/answers/classification.ts';
import type { Step } from '../../support/faulty-steps.ts';
import { faults } from '../../support/faulty-steps.ts';
import { answer, failureOf, rig } from '../client-fixture.ts';

const items = { body: { urls: [{ long_url: 'https://nodejs.org/' }] } };
const ok = { code: 0, message: '' };
const page = { results_count: 1, total_count: 1, offset: 0 };
const json = (body: unknown, status = 200): Step => ({ answer: { status, body } });
/** Sent with a byte for each character. */
const latin1 = (body: unknown, status = 200): Step => {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json; charset=iso-8859-1\r\ncontent-length: ${text.length}`;
  return { answer: { raw: `${head}\r\n\r\n${text}` } };
};
const record = { hash: 'abc', long_url: 'https://nodejs.org/' };

const unreadable: [string, Step, RegExp][] = [
  ['F20: an HTML page with 200', faults.htmlBefore, /not JSON \(text\/html, 16 bytes\): <h1>Sign in<\/h1>/],
  ['F21: an empty body', json(''), /not JSON/],
  ['F21: null', json('null'), /unexpected answer from the server: expected an object, got null$/],
  ['F21: a list', json('[]'), /unexpected answer from the server: expected an object, got a list$/],
  ['F21: text', json('"x"'), /expected an object, got text/],
  ['F21: {}', json('{}'), /field error: expected an object, got nothing/],
  ['F21: a byte order mark', json('\ufeff{"error":{"code":0,"message":""}}'), /not JSON/],
  ['F21: garbage at the end', json('{"error":{"code":0,"message":""}} x'), /not JSON/],
  [
    'F22: the code as text',
    json({ error: { code: '0', message: '' }, urls: [] }),
    /field error.code: expected an integer from 0, got text/,
  ],
  [
    'F22: a fraction as code',
    json({ error: { code: 0.5 }, urls: [] }),
    /field error.code: expected an integer from 0, got number/,
  ],
  ['F22: a negative code', json({ error: { code: -1 }, urls: [] }), /field error.code: expected an integer from 0, got number/],
  ['F22: an endless code', json('{"error":{"code":1e999},"urls":[]}'), /field error.code/],
  ['F22: no code', json({ error: {}, urls: [] }), /field error.code: expected an integer from 0, got nothing/],
  ['F22: error as a list', json({ error: [], urls: [] }), /field error: expected an object, got a list/],
  ['F24: code 101', json({ error: { code: 101, message: 'Unknown error' } }), /failed without giving a reason/],
  ['F24: code 101 with 400', json({ error: { code: 101, message: 'Unknown error' } }, 400), /failed without giving a reason/],
  ['F24: code 1308', json({ error: { code: 1308, message: 'HTTP error' } }), /the backend of/],
  ['F30: 502 with a page', faults.badGatewayBefore, /HTTP 502/],
  ['F30: 503', json('', 503), /HTTP 503/],
  [
    'F30: 500 around an envelope that says OK',
    json({ error: ok, urls: [], page }, 500),
    /HTTP 500.*a response that reports success/,
  ],
  ['F23: an error code under 500', json({ error: { code: 1305, message: 'x' } }, 500), /a parameter is missing/],
  ['F31: 204 without a body', json('', 204), /not JSON/],
  ['R 1.3: 408', json('', 408), /HTTP 408/],
  ['F36: urls as an object', json({ error: ok, urls: {}, page }), /field urls: expected a list, got an object/],
  ['F36: an item that is null', json({ error: ok, urls: [null], page }), /field urls\[0\]: expected an object, got null/],
  [
    'F39: an endless hash',
    json({ error: ok, urls: [{ hash: 'x'.repeat(2000) }], page }),
    /field urls\[0\].hash: expected at most 1024 characters, got 2000/,
  ],
  [
    'F40: tags as text',
    json({ error: ok, urls: [{ ...record, tags: 'a' }], page }),
    /field urls\[0\].tags: expected a list, got text/,
  ],
  [
    'F40: a tag that is a number',
    json({ error: ok, urls: [{ ...record, tags: [1] }], page }),
    /field urls\[0\].tags\[0\]: expected text, got number/,
  ],
  [
    'F40: clicks as a word',
    json({ error: ok, urls: [{ ...record, total_clicks: 'many' }], page }),
    /field urls\[0\].total_clicks: expected a number/,
  ],
  [
    'F40: a date that is a number',
    json({ error: ok, urls: [{ ...record, expiration_date: 0 }], page }),
    /field urls\[0\].expiration_date: expected text/,
  ],
  [
    'R-35: text that is not UTF-8',
    latin1({ error: ok, urls: [{ ...record, note: 'caf\u00e9' }], page }),
    /^(outcome unknown: .*: )?unreadable response from \S+ \(HTTP 200\): not UTF-8$/,
  ],
  ['F41: nesting without an end', json(`{"error":{"code":0,"message":""},"urls":${'['.repeat(200_000)}`), /not JSON/],
  [
    'F41: deep nesting',
    json(`{"error":{"code":0,"message":""},"urls":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
    /nested deeper than 64 levels/,
  ],
];

test.each(unreadable)('%s is no answer to a read: exit 8, tried again', async (_what, step, message) => {
  const { server, client } = await rig([{ ...step, times: 'all' }]);
  const error = await failureOf(client.send('listUrls', {}));
  expect(error.message).toMatch(message);
  expect(error.exitCode).toBe(/101/.test(String(error.apiCode)) ? 1 : 8);
  expect(await server.requests()).toHaveLength(5);
});

test.each(unreadable)('%s leaves a shortening in doubt: exit 10, never sent again', async (_what, step, message) => {
  const { server, client } = await rig([{ ...step, times: 'all' }]);
  const error = await failureOf(client.send('shortenUrls', items));
  expect(error).toMatchObject({
    exitCode: 10,
    outcome: 'ambiguous',
    hint: 'check before repeating: linkctl list --search https://nodejs.org/',
  });
  expect(error.message).toMatch(/^outcome unknown: the link may have been created: /);
  expect(error.message).toMatch(message);
  expect(await server.requests()).toHaveLength(1);
});

test.each([
  ['F25: 400 with 1300', json({ error: { code: 1300, message: '' } }, 400), 4],
  ['F25: 200 with 1300', json({ error: { code: 1300, message: '' } }), 4],
  ['F25: 1300 with a message that is not UTF-8', latin1({ error: { code: 1300, message: 'cl\u00e9' } }, 400), 4],
  ['F25: 401 without a body', json('', 401), 4],
  ['F25: 403 with a page', { answer: { status: 403, body: '<p>' } }, 4],
  ['F25: 1102', json({ error: { code: 1102, message: '' } }), 4],
  ['F25: 1217', json({ error: { code: 1217, message: '' } }), 4],
  ['F26: 1303 with 429', json({ error: { code: 1303, message: '' } }, 429), 7],
  ['F26: 1303 with 200', json({ error: { code: 1303, message: '' } }), 7],
  ['F23: an unknown code', json({ error: { code: 9999, message: 'strange' } }), 1],
  ['1301', json({ error: { code: 1301, message: '' } }, 404), 9],
  ['404 with a page', json('<p>', 404), 9],
  ['404 around an envelope that says OK', json({ error: ok, urls: [], page }, 404), 8],
  ['413', json('', 413), 7],
  ['1220', json({ error: { code: 1220, message: '' } }), 7],
  ['1221', json({ error: { code: 1221, message: '' } }), 7],
] as const)('%s is a refusal: nothing was done, one request', async (_what, step, exitCode) => {
  for (const send of ['listUrls', 'shortenUrls'] as const) {
    const { server, client } = await rig([{ ...step, times: 'all' }]);
    const error = await failureOf(send === 'listUrls' ? client.send(send, {}) : client.send(send, items));
    expect(error).toMatchObject({ exitCode, outcome: 'rejected', attempts: 1 });
    expect(await server.requests()).toHaveLength(1);
  }
});

test('B46: an unlisted code prints the server’s message and details', async () => {
  const { client } = await rig([json({ error: { code: 9999, message: 'strange', details: 'very' } })]);
  expect(await failureOf(client.send('listTags', {}))).toMatchObject({
    message: 'service error 9999: strange',
    apiCode: 9999,
    details: ['server message: very'],
  });
});

test.each([201, 202])('F31: %i with a valid envelope is a success', async (status) => {
  const { client } = await rig([answer({ urls: [record] }, status)]);
  expect(await client.send('shortenUrls', items)).toMatchObject({ urls: [record] });
});

test.each([
  ['everything but the hash missing', { urls: [{ hash: 'a' }], page }],
  [
    'null where something is optional',
    { urls: [{ ...record, tags: null, note: null, last_visit: null, links: null }], page: null },
  ],
  ['no page', { urls: [record] }],
  ['empty objects as PHP writes them', { urls: [{ ...record, links: [] }], page: [] }],
  [
    'links in any form',
    {
      urls: [
        { ...record, links: 'https://s.example/qr' },
        { hash: 'b', links: [1] },
      ],
      page,
    },
  ],
  ['a strange total', { urls: [], page: { total_count: -1 } }],
  [
    'names of Object.prototype',
    JSON.parse('{"urls":[{"hash":"a","__proto__":{"x":1},"constructor":1,"toString":null}],"__proto__":{"x":1}}'),
  ],
])('FIELD-NOTES, F40, F41: a listing with %s is taken', async (_what, members) => {
  const body = JSON.stringify({ error: ok, ...members });
  const { client } = await rig([json(body)]);
  await client.send('listUrls', {});
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test('B19, R-35: integers that a number cannot hold keep their digits as text, everything else keeps its type', async () => {
  const members = [
    '"id":12345678901234567890,"ids":[-9007199254740993, 9007199254740991]',
    '"text":"id:12345678901234567890, \\"9007199254740993","fraction":0.12345678901234566,"power":1234567890123456e5',
  ];
  const { client } = await rig([json(`{"error":{"code":0},"urls":[{"hash":"a",${members.join()}}]}`)]);
  expect(await client.send('listUrls', {})).toMatchObject({
    urls: [
      {
        id: '12345678901234567890',
        ids: ['-9007199254740993', 9007199254740991],
        text: 'id:12345678901234567890, "9007199254740993',
        fraction: 0.12345678901234566,
        power: 1234567890123456e5,
      },
    ],
  });
});

test.each([
  ['a number as user_id', { user_id: 7 }],
  ['a counter without count', { counters: { urls: { limit: 5 }, odd: null } }],
  ['no counters at all', {}],
])('FIELD-NOTES 5, F47: an account with %s is taken', async (_what, account) => {
  const { client } = await rig([answer({ account })]);
  expect(await client.send('getAccount', {})).toMatchObject({ account });
});

test('F40: an empty list of counters is how PHP writes an empty object', async () => {
  const { client } = await rig([answer({ account: { username: 'ann', counters: [] } })]);
  expect(await client.send('getAccount', {})).toMatchObject({ account: { username: 'ann', counters: {} } });
});

test('F40: log entries are taken with links in any form', async () => {
  const log = [
    { message: 'm', links: [] },
    { message: 'n', links: 'x' },
  ];
  const { client } = await rig([answer({ log })]);
  expect(await client.send('listLog', {})).toMatchObject({ log });
});

test.each([
  ['listUrls', 'urls'],
  ['listTags', 'tags'],
  ['listLog', 'log'],
] as const)(
  'B22, F40: null instead of an empty list is none, but a list that is missing is refused: %s',
  async (operation, member) => {
    const { client } = await rig([answer({ [member]: null, page }), { ...answer({ page }), times: 'all' }]);
    expect(await client.send(operation, {})).toMatchObject({ [member]: [] });
    expect((await failureOf(client.send(operation, {}))).message).toContain(`field ${member}: expected a list, got nothing`);
  },
);

test('F40: counters as a list are refused with the name of the field', async () => {
  const { client } = await rig([{ ...answer({ account: { counters: [1] } }), times: 'all' }]);
  const error = await failureOf(client.send('getAccount', {}));
  expect(error.message).toBe('unexpected answer from the server (field account.counters: expected an object, got a list)');
});

test.each([
  ['nothing', ''],
  ['an empty object', '{}'],
  ['an envelope', { error: ok }],
])('4.2: DELETE /tags/[label] may answer %s', async (_what, body) => {
  const { client } = await rig([json(body)]);
  expect(await client.send('deleteTag', { path: { label: 'a' } })).toMatchObject({ error: { code: 0 } });
});

test.each([
  ['a page', '<p>'],
  ['an odd error', { error: null }],
])('4.2: DELETE /tags/[label] with %s is in doubt', async (_what, body) => {
  const { client } = await rig([{ ...json(body), times: 'all' }]);
  expect(await failureOf(client.send('deleteTag', { path: { label: 'a' } }))).toMatchObject({ exitCode: 10 });
});

test.each([301, 302, 307, 308])('F14, R-37: %i is reported and not followed', async (status) => {
  const target = await rig([]);
  const { client, server } = await rig([{ ...faults.redirect(`${target.server.origin}/x?secret=1`, status), times: 'all' }]);
  expect(await failureOf(client.send('shortenUrls', items))).toMatchObject({
    exitCode: 8,
    outcome: 'rejected',
    message: `server redirects to ${target.server.origin} (HTTP ${status}); redirects are not followed`,
  });
  expect(await server.requests()).toHaveLength(1);
  expect(await target.server.requests()).toEqual([]);
});

test.each([
  ['https://s.example:8443/x', 'https://s.example:8443', 'linkctl auth login --profile work --base-url https://s.example:8443'],
  ['http://[::1]:1/', 'http://[::1]:1', "linkctl auth login --profile work --base-url 'http://[::1]:1'"],
  ['http://ann:key@s.example/', 'http://s.example', 'linkctl auth login --profile work --base-url http://s.example'],
  ['http://$({touch,pwned})', 'another address', undefined],
  ["https://a';b;'.example/", 'another address', undefined],
  ['http://`id`.example/', 'another address', undefined],
  ['javascript:alert(1)', 'another address', undefined],
  ['ftp://s.example/', 'another address', undefined],
  ['http://', 'another address', undefined],
  ['/sign/in?next=secret#x', '/sign/in', undefined],
  ['tags/', '/api/3/tags/', undefined],
])('R-37, B45: a redirect to %s', async (location, named, command) => {
  const { client, server } = await rig([{ ...faults.redirect(location, 302), times: 'all' }]);
  const { message, hint } = await failureOf(client.send('listTags', {}));
  expect(message).toBe(`server redirects to ${named} (HTTP 302); redirects are not followed`);
  expect(hint).toBe(
    command ? `if that is the right server, set base_url to it: ${command}` : `check the base URL ${server.baseUrl}`,
  );
});

test.each([
  ['[]', false],
  [`${'['.repeat(64)}${']'.repeat(64)}`, false],
  [`${'['.repeat(65)}${']'.repeat(65)}`, true],
  [`{"a":${'{"b":['.repeat(32)}${']}'.repeat(32)}}`, true],
  [`${'[[],'.repeat(63)}[]${']'.repeat(63)}`, false],
  [`${'[[],'.repeat(64)}[]${']'.repeat(64)}`, true],
  [`{"a":"${'['.repeat(100)}"}`, false],
  [`[${'[],'.repeat(100)}[]]`, false],
  [`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, true],
])('R-34: depth of %.40s', (text, expected) => {
  expect(traitsOf(JSON.parse(text)).isTooDeep).toBe(expected);
});

test('R-36: JSON under another name is taken, and reported once', async () => {
  const step: Step = { ...answer({ tags: [] }), times: 'all' };
  const { client, events } = await rig([{ ...step, answer: { ...step.answer, headers: { 'content-type': 'text/html' } } }]);
  await client.send('listTags', {});
  await client.send('listTags', {});
  expect(events.filter(({ kind }) => kind === 'warning')).toEqual([
    { kind: 'warning', message: 'the server sends the content type text/html instead of application/json' },
  ]);
});
