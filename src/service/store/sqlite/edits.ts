import type { TagExpression } from '../../tag-expression.ts';
import type { Edit, EditOutcome, SharedChanges, StoredDomain, StoredUrl, UrlChanges } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import type { Value } from './connection.ts';
import { choose } from './groups.ts';
import { attachTag, detachTag, findTag, type TagRow, tagLookup } from './tag-rows.ts';
import { findId, readUrls, storedValues } from './url-rows.ts';

/** Applies edits in order inside the caller's write transaction; a later one sees what an earlier one did. */
export function editUrls(rows: AccountRows, domain: StoredDomain, edits: readonly Edit[]): EditOutcome[] {
  const tagOf = tagLookup(rows);
  return edits.map(({ hash, changes }) => {
    const id = findId(rows, domain, hash);
    const [url] = id === undefined ? [] : readUrls(rows, [id]);
    return url ? editUrl(rows, url, changes, tagOf) : { kind: 'unknown' };
  });
}

/** Sets the same fields of every URL that the expression selects. */
export function editTagged(rows: AccountRows, expression: TagExpression, changes: SharedChanges): number {
  const outcome = choose(rows, { kind: 'tags', expression });
  if (outcome.kind === 'unknown') return 0;
  const columns: [string, Value | undefined][] = [
    ['note', changes.note],
    ['email_stats', changes.emailStats === undefined ? undefined : Number(changes.emailStats)],
    ['expiration_date', changes.expirationDate],
    ['max_clicks', changes.maxClicks],
  ];
  for (const [column, value] of columns) {
    if (value === undefined) continue;
    rows.connection
      .sql(`UPDATE urls NOT INDEXED SET ${column} = ?, modified = ? WHERE account_id = ? AND id IN (SELECT id FROM chosen)`)
      .run(value, rows.now(), rows.accountId);
  }
  return outcome.count;
}

function editUrl(rows: AccountRows, url: StoredUrl, changes: UrlChanges, tagOf: (label: string) => TagRow): EditOutcome {
  const hash = changes.newHash ?? url.hash;
  if (hash !== url.hash && findId(rows, url.domain, hash) !== undefined) return { kind: 'taken' };
  const edited: StoredUrl = {
    ...url,
    hash,
    longUrl: changes.longUrl ?? url.longUrl,
    note: changes.note ?? url.note,
    emailStats: changes.emailStats ?? url.emailStats,
    expirationDate: changes.expirationDate === undefined ? url.expirationDate : changes.expirationDate,
    maxClicks: changes.maxClicks ?? url.maxClicks,
  };
  updateUrl(rows, edited);
  if (changes.tags.length === 0) return { kind: 'edited', url: edited };
  for (const { label, attach } of changes.tags) {
    if (attach) attachTag(rows, tagOf(label).id, url.id);
    else detachIfKnown(rows, label, url.id);
  }
  const [tagged] = readUrls(rows, [url.id]);
  return tagged ? { kind: 'edited', url: tagged } : { kind: 'unknown' };
}

function detachIfKnown(rows: AccountRows, label: string, urlId: number): void {
  const tag = findTag(rows, label);
  if (tag) detachTag(rows, tag.id, urlId);
}

function updateUrl({ connection, accountId, now }: AccountRows, url: StoredUrl): void {
  connection
    .sql(
      `UPDATE urls SET hash = ?, long_url = ?, long_url_key = ?, note = ?, email_stats = ?, expiration_date = ?, max_clicks = ?, modified = ?
       WHERE account_id = ? AND id = ?`,
    )
    .run(...storedValues(url), now(), accountId, url.id);
}
