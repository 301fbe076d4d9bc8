import { expect, onTestFinished } from 'vitest';
import { type Cluster, clusterFolder, createCluster, freshDatabase, query } from '../support/postgres.ts';
import { rawExchange } from './raw-exchange.ts';
import { many, test } from './running-service.ts';

/** What a call asks of the database, counted in the log of the server: it does not depend on the machine. */

const url = 'https://example.com/';

/** A statement as the server logs it. */
interface Statement {
  readonly connection: string;
  readonly text: string;
}

/** Once a second for all calls of a process: what the domains are, and how many calls there were. */
const isHousekeeping = ({ text }: Statement): boolean =>
  /FROM domains WHERE account_id = \$1 ORDER BY position/.test(text) || /^INSERT INTO tallies .* RETURNING count$/.test(text);

function statementsOf(log: string): Statement[] {
  const entries = log.split(/^(?=\d{4}-\d\d-\d\d )/m);
  return entries.flatMap((entry) => {
    const [, connection = '', text = ''] = /\[(\d+)\] LOG: {2}(?:statement|execute [^:]*): ([\s\S]*)$/.exec(entry) ?? [];
    return text === '' ? [] : [{ connection, text: text.replace(/\s+/g, ' ').trim() }];
  });
}

async function statementsDuring(cluster: Cluster, work: () => Promise<unknown>): Promise<Statement[]> {
  const before = cluster.log().length;
  await work();
  return statementsOf(cluster.log().slice(before)).filter((statement) => !isHousekeeping(statement));
}

/** Statements and commits that the disk has to keep: of transactions, and of single changes. */
async function cost(cluster: Cluster, work: () => Promise<unknown>): Promise<{ statements: number; commits: number }> {
  const all = await statementsDuring(cluster, work);
  const counting = new Set(all.filter(({ text }) => text.startsWith('INSERT INTO flushes')).map(({ connection }) => connection));
  const statements = all.filter(({ connection }) => !counting.has(connection));
  const inTransaction = new Set<string>();
  let commits = 0;
  for (const { connection, text } of statements) {
    if (text.startsWith('BEGIN')) inTransaction.add(connection);
    else if (text === 'COMMIT') commits += 1;
    else if (!inTransaction.has(connection) && /\b(INSERT|UPDATE|DELETE)\b/.test(text)) commits += 1;
    if (text === 'COMMIT') inTransaction.delete(connection);
  }
  return { statements: statements.length, commits };
}

/** A server that logs every statement. */
function loggingCluster(): Cluster {
  const cluster = createCluster(clusterFolder(), { settings: ['log_statement=all'] });
  onTestFinished(() => cluster.stop('immediate'));
  return cluster;
}

test('E44: a call asks the database for a few statements and one commit at most, a visit for none', async ({ start }) => {
  const cluster = loggingCluster();
  const client = await start({ store: { url: cluster.url, environment: {} } });
  const warmUps = [1, 3];
  const calls = {
    shorten: (turn: number) =>
      client.shorten(
        { long_url: url, custom_hash: `h${turn}`, tags: [`t${turn}`] },
        ...(warmUps.includes(turn) ? [{ long_url: url }] : []),
      ),
    generated: (turn: number) => client.shorten({ long_url: url, tags: [`g${turn}`] }),
    get: (turn: number) => client.call('GET', `/urls/h${turn}`),
    page: () => client.call('GET', '/urls?limit=2&order_by=hash'),
    tagged: () => client.call('GET', '/urls?tags=(t1|t2)%26~t3&limit=1'),
    stats: (turn: number) => client.call('GET', `/stats/h${turn}`),
    log: () => client.call('GET', '/log?limit=2'),
    cold: (turn: number) => client.visit(`/h${turn}`),
    warm: (turn: number) => client.visit(`/h${turn}`),
    edit: (turn: number) =>
      client.call('PATCH', `/urls/h${turn}`, { urls: [{ note: 'x', custom_hash: `i${turn}`, tags: [`+e${turn}`, '-t2'] }] }),
    reset: (turn: number) => client.call('DELETE', `/stats/i${turn}`),
    remove: (turn: number) => client.call('DELETE', `/urls/i${turn}`),
  };
  // Once more for each connection to be there.
  for (const turn of warmUps) for (const call of Object.values(calls)) await call(turn);
  for (let times = 0; times < 8; times += 1) await Promise.all([1, 2, 3].map(() => client.call('GET', '/urls/none')));
  await Promise.all(['/u1', '/u2', '/u3'].map((path) => client.visit(path)));
  // What a process does by itself now and then may fall into a call, but not into each of three.
  const costs: { [name: string]: { statements: number; commits: number } } = {};
  for (const turn of [2, 4, 5]) {
    for (const [name, call] of Object.entries(calls)) {
      const found = await cost(cluster, () => call(turn));
      const least = costs[name];
      if (!least || found.statements < least.statements) costs[name] = found;
    }
  }
  const most = (statements: number, commits: number) => ({ statements, commits });
  expect(costs).toEqual({
    shorten: most(6, 1),
    generated: most(6, 1),
    get: most(1, 0),
    page: most(1, 0),
    tagged: most(2, 0),
    stats: most(1, 0),
    log: most(1, 0),
    cold: most(1, 0),
    warm: most(0, 0),
    edit: most(6, 1),
    reset: most(6, 1),
    remove: most(6, 1),
  });
});

test('E44: visits of cold links that arrive together are one statement', async ({ start }) => {
  const cluster = loggingCluster();
  const client = await start({ store: { url: cluster.url, environment: {} } });
  await client.shorten(...many(40, (index) => ({ long_url: `${url}${index}`, custom_hash: `h${index}` })));
  const visits = many(
    40,
    (index) => `GET /h${index} HTTP/1.1\r\nHost: localhost\r\n${index === 39 ? 'Connection: close\r\n' : ''}\r\n`,
  );
  let answered = '';
  const statements = await statementsDuring(cluster, async () => {
    const { head, body } = await rawExchange(client.service.port, visits.join(''));
    answered = `${head}\r\n${body}`;
  });
  expect(answered.match(/^location: .*$/gm)).toEqual(many(40, (index) => `location: ${url}${index}`));
  expect(statements.filter(({ text }) => text.includes('FROM unnest') && text.includes('long_url'))).toHaveLength(1);
});

test('E45: a page of a tag expression and its number come from the same links, which are found once', async ({ start }) => {
  const cluster = loggingCluster();
  const client = await start({ store: { url: cluster.url, environment: {} } });
  await client.shorten(...many(4, (index) => ({ long_url: `${url}${index}`, tags: [`t${index}`, `t${(index + 1) % 4}`] })));
  const found = async (query: string, text: RegExp) => {
    let total = 0;
    const statements = await statementsDuring(cluster, async () => {
      total = (await client.call('GET', `/urls?limit=1&${query}`)).body.page.total_count;
    });
    return { total, times: statements.flatMap((statement) => statement.text.match(text) ?? []).length };
  };
  const both = encodeURIComponent('(t0|t1)&(t2|t3)');
  expect(await found(`tags=${both}`, /tag_id IN/g)).toEqual({ total: 2, times: 2 });
  expect(await found(`tags=${both}&order_by=clicks`, /tag_id IN/g)).toEqual({ total: 2, times: 2 });
  expect(await found('tags=visited&order_by=clicks', /total_clicks > 0/g)).toEqual({ total: 0, times: 1 });
  expect(await found('tags=t1&search=EXAMPLE', /lower\(long_url/g)).toEqual({ total: 2, times: 1 });
});

test('E45: what was imported is vacuumed and analysed, and an order by hash needs no sort', async ({ start, folder }) => {
  const source = await start({ data: folder });
  for (const turn of [0, 1])
    await source.shorten(...many(1000, (index) => ({ long_url: url, custom_hash: `h${turn}-${index}` })));
  await source.service.close();
  const database = await freshDatabase();
  await start({ store: { url: database, environment: {}, importFrom: folder } });
  const figures =
    "SELECT vacuum_count > 0 AS vacuumed, reltuples FROM pg_stat_user_tables JOIN pg_class ON oid = relid WHERE relid = 'urls'::regclass";
  expect(await query(database, figures)).toEqual([{ vacuumed: true, reltuples: 2000 }]);
  const ordered = 'SELECT id FROM urls WHERE account_id = 1 AND domain_id = 1 ORDER BY hash COLLATE "C", id LIMIT 10';
  const plan = JSON.stringify(await query(database, `EXPLAIN ${ordered}`));
  expect([plan.includes('urls_by_bytes'), plan.includes('Sort')]).toEqual([true, false]);
});
