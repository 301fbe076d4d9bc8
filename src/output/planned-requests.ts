import type { Row, RowsReport } from './report.ts';

/** A request without its credentials. */
export interface PlannedRequest {
  readonly method: string;
  /** Relative to the API root. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Prints the planned requests for programs; nothing is sent. */
export function dryRunReport(requests: Iterable<PlannedRequest> | AsyncIterable<PlannedRequest>): RowsReport {
  return {
    kind: 'rows',
    key: 'requests',
    rows: toRows(requests),
    columns: [{ name: 'method' }, { name: 'path' }, { name: 'query', shrinks: true }, { name: 'body', shrinks: true }],
    members: () => ({ dry_run: true }),
    notes: () => ['dry run: nothing was sent'],
  };
}

/** Example: `PATCH /urls?hashes=a,b {"urls":[…]}`. */
export function requestLine(request: PlannedRequest): string {
  const { method, path, body } = request;
  const query = givenQuery(request).map(([name, value]) => `${name}=${value}`);
  const address = query.length === 0 ? path : `${path}?${query.join('&')}`;
  return [method, address, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' ');
}

async function* toRows(requests: Iterable<PlannedRequest> | AsyncIterable<PlannedRequest>): AsyncGenerator<[Row]> {
  for await (const request of requests) {
    const { method, path, body = null } = request;
    yield [{ method, path, query: Object.fromEntries(givenQuery(request)), body }];
  }
}

function givenQuery({ query }: PlannedRequest): [name: string, value: unknown][] {
  return Object.entries(query).filter(([, value]) => value !== undefined);
}
