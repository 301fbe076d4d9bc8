import { foldLabel } from '../../../contract/tag-label.ts';
import type { AccountRows } from './account-rows.ts';

export interface TagRow {
  readonly id: number;
  readonly label: string;
}

/** The tags that exist, by what makes labels equal. */
export async function findTags({ queries, accountId }: AccountRows, folded: readonly string[]): Promise<Map<string, TagRow>> {
  if (folded.length === 0) return new Map();
  const found = await queries.all<TagRow & { folded: string }>(
    'SELECT id, folded, label FROM tags WHERE account_id = ? AND folded = ANY(CAST(? AS TEXT[]))',
    accountId,
    folded,
  );
  return new Map(found.map((tag) => [tag.folded, tag]));
}

/** The tag of each label, made where it is missing, by what makes labels equal. */
export async function tagsOf(rows: AccountRows, labels: readonly string[]): Promise<ReadonlyMap<string, TagRow>> {
  const { queries, accountId } = rows;
  const wanted = new Map(labels.map((label) => [foldLabel(label), label]));
  const tags = await findTags(rows, [...wanted.keys()]);
  const missing = [...wanted].filter(([folded]) => !tags.has(folded));
  if (missing.length === 0) return tags;
  const last = await queries.first<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM tags WHERE account_id = ?', accountId);
  const made = missing.map(([folded, label], index) => ({ id: (last?.id ?? 0) + 1 + index, folded, label }));
  await queries.run(
    `INSERT INTO tags (account_id, id, folded, label)
     SELECT CAST(? AS BIGINT), id, folded, label FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[])) AS made (id, folded, label)`,
    accountId,
    made.map(({ id }) => id),
    made.map(({ folded }) => folded),
    made.map(({ label }) => label),
  );
  for (const tag of made) tags.set(tag.folded, tag);
  return tags;
}

/** Which tag is on which URL. */
export interface TagLink {
  readonly tagId: number;
  readonly urlId: number;
}

export async function attachTags({ queries, accountId }: AccountRows, links: readonly TagLink[]): Promise<void> {
  if (links.length === 0) return;
  await queries.run(
    `INSERT INTO url_tags (account_id, tag_id, url_id)
     SELECT CAST(? AS BIGINT), tag_id, url_id FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS link (tag_id, url_id)
     ON CONFLICT DO NOTHING`,
    accountId,
    links.map(({ tagId }) => tagId),
    links.map(({ urlId }) => urlId),
  );
}

export async function detachTags({ queries, accountId }: AccountRows, links: readonly TagLink[]): Promise<void> {
  if (links.length === 0) return;
  await queries.run(
    `DELETE FROM url_tags WHERE account_id = ? AND (tag_id, url_id) IN
     (SELECT tag_id, url_id FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS link (tag_id, url_id))`,
    accountId,
    links.map(({ tagId }) => tagId),
    links.map(({ urlId }) => urlId),
  );
}

export async function listTags({ queries, accountId }: AccountRows): Promise<string[]> {
  const all = await queries.all<{ label: string }>(
    'SELECT label FROM tags WHERE account_id = ? ORDER BY folded COLLATE "C"',
    accountId,
  );
  return all.map(({ label }) => label);
}

export async function addTag(rows: AccountRows, label: string): Promise<{ label: string; isNew: boolean }> {
  const folded = foldLabel(label);
  const known = (await findTags(rows, [folded])).get(folded);
  if (known) return { label: known.label, isNew: false };
  await tagsOf(rows, [label]);
  return { label, isNew: true };
}

export async function renameTag(rows: AccountRows, label: string, newLabel: string): Promise<'renamed' | 'unknown' | 'taken'> {
  const [folded, newFolded] = [foldLabel(label), foldLabel(newLabel)];
  const tags = await findTags(rows, [folded, newFolded]);
  const tag = tags.get(folded);
  if (!tag) return 'unknown';
  const other = tags.get(newFolded);
  if (other && other.id !== tag.id) return 'taken';
  await rows.queries.run(
    'UPDATE tags SET folded = ?, label = ? WHERE account_id = ? AND id = ?',
    newFolded,
    newLabel,
    rows.accountId,
    tag.id,
  );
  return 'renamed';
}

export async function deleteTag(rows: AccountRows, label: string): Promise<boolean> {
  const { queries, accountId } = rows;
  const folded = foldLabel(label);
  const tag = (await findTags(rows, [folded])).get(folded);
  if (!tag) return false;
  await queries.run('DELETE FROM url_tags WHERE account_id = ? AND tag_id = ?', accountId, tag.id);
  await queries.run('DELETE FROM tags WHERE account_id = ? AND id = ?', accountId, tag.id);
  return true;
}
