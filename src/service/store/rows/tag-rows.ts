import { foldLabel } from '../../../contract/tag-label.ts';
import type { AddedTag, RenameOutcome } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import type { PostgresValue } from './queries.ts';

export interface TagRow {
  readonly id: number;
  readonly label: string;
}

/** Returns existing tags by folded label. */
export async function findTags({ queries, accountId }: AccountRows, folded: readonly string[]): Promise<Map<string, TagRow>> {
  if (folded.length === 0) return new Map();
  const found = await queries.all<TagRow & { folded: string }>(
    'SELECT id, folded, label FROM tags WHERE account_id = ? AND folded = ANY(CAST(? AS TEXT[]))',
    accountId,
    folded,
  );
  return new Map(found.map((tag) => [tag.folded, tag]));
}

/** Takes the values account, account, folded labels. */
export const tagFacts = `(SELECT coalesce(max(id), 0) FROM tags WHERE account_id = ?) AS last_tag,
  (SELECT json_agg(json_build_array(folded, id, label)) FROM tags WHERE account_id = ? AND folded = ANY(CAST(? AS TEXT[]))) AS tags`;

export interface TagFacts {
  readonly last_tag: number;
  readonly tags: string | null;
}

/** Tags by folded label, and those that must be created. */
export interface WantedTags {
  readonly byFold: ReadonlyMap<string, TagRow>;
  readonly made: readonly (TagRow & { readonly folded: string })[];
}

export function wantedTags(facts: TagFacts, labels: readonly string[]): WantedTags {
  const byFold = knownTags(facts);
  const wanted = new Map(labels.map((label) => [foldLabel(label), label]));
  const missing = [...wanted].filter(([folded]) => !byFold.has(folded));
  const made = missing.map(([folded, label], index) => ({ id: facts.last_tag + 1 + index, folded, label }));
  for (const tag of made) byFold.set(tag.folded, tag);
  return { byFold, made };
}

export function knownTags({ tags }: TagFacts): Map<string, TagRow> {
  const rows: [folded: string, id: number, label: string][] = JSON.parse(tags ?? '[]');
  return new Map(rows.map(([folded, id, label]) => [folded, { id, label }]));
}

export interface TagLink {
  readonly tagId: number;
  readonly urlId: number;
}

/** Parts of a statement that creates tags and attaches them, with the values of `makeTagsValues` and `linkValues`. */
export const makeTags = `INSERT INTO tags (account_id, id, folded, label)
  SELECT CAST(? AS BIGINT), made.* FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[])) AS made`;
export const attachTags = `INSERT INTO url_tags (account_id, tag_id, url_id)
  SELECT CAST(? AS BIGINT), link.* FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS link ON CONFLICT DO NOTHING`;

export function makeTagsValues({ accountId }: AccountRows, made: WantedTags['made']): PostgresValue[] {
  return [accountId, made.map(({ id }) => id), made.map(({ folded }) => folded), made.map(({ label }) => label)];
}

/** The values of `attachTags`. */
export function linkValues({ accountId }: AccountRows, links: readonly TagLink[]): PostgresValue[] {
  return [accountId, links.map(({ tagId }) => tagId), links.map(({ urlId }) => urlId)];
}

export async function listTags({ queries, accountId }: AccountRows): Promise<string[]> {
  const all = await queries.all<{ label: string }>(
    'SELECT label FROM tags WHERE account_id = ? ORDER BY folded COLLATE "C"',
    accountId,
  );
  return all.map(({ label }) => label);
}

export async function addTag(rows: AccountRows, label: string): Promise<AddedTag> {
  const folded = foldLabel(label);
  const facts = await rows.queries.first<TagFacts>(`SELECT ${tagFacts}`, rows.accountId, rows.accountId, [folded]);
  const { byFold, made } = wantedTags(facts ?? { last_tag: 0, tags: null }, [label]);
  if (made.length > 0) await rows.queries.run(makeTags, ...makeTagsValues(rows, made));
  return { label: byFold.get(folded)?.label ?? label, isNew: made.length > 0 };
}

export async function renameTag(rows: AccountRows, label: string, newLabel: string): Promise<RenameOutcome> {
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
