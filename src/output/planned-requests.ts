import { endpoints, type OperationName } from '../contract/operations.ts';
import type { Row, RowsReport } from './report.ts';

/** A request without its credentials. */
export interface PlannedRequest {
  readonly method: string;
  /** Relative to the API root. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Returns the request of a call. The path is below the API's root, percent-encoded. */
export function requestOf({ operation, input }: { readonly operation: OperationName; readonly input: object }): PlannedRequest {
  const { method, path } = endpoints[operation];
  const { path: parts = {}, query = {}, body }: { path?: object; query?: object; body?: unknown } = input;
  const named = new Map<string, unknown>(Object.entries(parts));
  const filled = path.replace(/:(\w+)/g, (_, member: string) => encodeURIComponent(String(named.get(member))));
  return { method, path: filled, query: { ...query }, body };
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
