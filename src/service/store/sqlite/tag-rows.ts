import { foldLabel } from '../../../contract/tag-label.ts';
import type { AccountRows } from './account-rows.ts';

export interface TagRow {
  readonly id: number;
  readonly label: string;
}

export function findTag({ connection, accountId }: AccountRows, folded: string): TagRow | undefined {
  return connection.sql('SELECT id, label FROM tags WHERE account_id = ? AND folded = ?').get<TagRow>(accountId, folded);
}

export function addTag(rows: AccountRows, label: string): TagRow & { readonly isNew: boolean } {
  const folded = foldLabel(label);
  const known = findTag(rows, folded);
  if (known) return { ...known, isNew: false };
  rows.connection.sql('INSERT INTO tags (account_id, folded, label) VALUES (?, ?, ?)').run(rows.accountId, folded, label);
  const tag = findTag(rows, folded);
  if (!tag) throw new Error(`the tag ${label} cannot be stored`);
  return { ...tag, isNew: true };
}

/** Creates missing tags. Returns the tags by folded label. */
export function tagsOf(rows: AccountRows, labels: Iterable<string>): ReadonlyMap<string, TagRow> {
  return new Map([...labels].map((label) => [foldLabel(label), addTag(rows, label)]));
}

export function attachTag({ connection, accountId }: AccountRows, tagId: number, urlId: number): void {
  connection
    .sql('INSERT INTO url_tags (account_id, tag_id, url_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(accountId, tagId, urlId);
}

export function detachTag({ connection, accountId }: AccountRows, tagId: number, urlId: number): void {
  connection.sql('DELETE FROM url_tags WHERE account_id = ? AND tag_id = ? AND url_id = ?').run(accountId, tagId, urlId);
}

export function listTags({ connection, accountId }: AccountRows): string[] {
  const all = connection.sql('SELECT label FROM tags WHERE account_id = ? ORDER BY folded');
  return all.all<{ label: string }>(accountId).map(({ label }) => label);
}

export function renameTag(rows: AccountRows, label: string, newLabel: string): 'renamed' | 'unknown' | 'taken' {
  const tag = findTag(rows, foldLabel(label));
  if (!tag) return 'unknown';
  const other = findTag(rows, foldLabel(newLabel));
  if (other && other.id !== tag.id) return 'taken';
  rows.connection
    .sql('UPDATE tags SET folded = ?, label = ? WHERE account_id = ? AND id = ?')
    .run(foldLabel(newLabel), newLabel, rows.accountId, tag.id);
  return 'renamed';
}

export function deleteTag(rows: AccountRows, label: string): boolean {
  const tag = findTag(rows, foldLabel(label));
  if (!tag) return false;
  rows.connection.sql('DELETE FROM url_tags WHERE account_id = ? AND tag_id = ?').run(rows.accountId, tag.id);
  rows.connection.sql('DELETE FROM tags WHERE account_id = ? AND id = ?').run(rows.accountId, tag.id);
  return true;
}
