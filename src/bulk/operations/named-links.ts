import type { Client } from '../../client/client.ts';
import { urlsByHash } from '../../client/named-urls.ts';
import { errors } from '../../contract/errors.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { Verdict } from '../matching/row-verdict.ts';
import type { BulkOperation, RowToInspect } from './operation.ts';

export interface ChangeSettings {
  readonly client: Pick<Client, 'send' | 'edition'>;
  /** Edition A: for rows without a domain. */
  readonly domain?: string | undefined;
  readonly batchSize: number;
}

type Links = ReadonlyMap<string, UrlRecord>;

/** A single link is named in the path, several in the query. `group` ensures that all are on one domain. */
export function addressOf(rows: readonly LinkKey[], settings: ChangeSettings) {
  const query = { domain: rows[0]?.domain ?? settings.domain };
  const hashes = rows.map(({ hash }) => hash);
  return { only: hashes.length === 1 ? hashes[0] : undefined, query, queryOfAll: { ...query, hashes: hashes.join(',') } };
}

/** The rows of a call are on one domain. */
function settingsFor(rows: readonly LinkKey[], settings: ChangeSettings): ChangeSettings {
  return { ...settings, ...addressOf(rows, settings).query };
}

export function reading<Row extends LinkKey>(settings: ChangeSettings): NonNullable<BulkOperation<Row>['read']> {
  return async (rows, signal) => {
    const hashes = rows.map(({ hash }) => hash);
    const links = await urlsByHash(hashes, { ...settingsFor(rows, settings), signal });
    return hashes.map((hash) => links.get(hash) ?? null);
  };
}

/** Reads links and judges each row by them. `hashesOf` returns the hashes to read for a row. */
export function inspection<Row extends LinkKey>(
  settings: ChangeSettings,
  verdictOf: (row: RowToInspect<Row>, links: Links) => Verdict,
  hashesOf: (row: Row) => readonly string[] = ({ hash }) => [hash],
): NonNullable<BulkOperation<Row>['inspect']> {
  return async (sought, signal) => {
    const rows = sought.map(({ payload }) => payload);
    const links = await urlsByHash(rows.flatMap(hashesOf), { ...settingsFor(rows, settings), signal });
    return sought.map((row) => verdictOf(row, links));
  };
}

export const missing: Verdict = { kind: 'failed', error: { code: 1306, message: errors[1306].message } };
