import { foldLabel } from '../../../contract/tag-label.ts';
import type { AddedTag, RenameOutcome } from '../store.ts';
import type { OwnRows } from './account-rows.ts';
import { type Aggregated, aggregated, type Statement } from './queries.ts';

interface TagRow {
  readonly id: number;
  readonly label: string;
}

/** Returns existing tags by folded label. */
export async function findTags({ queries, accountId }: OwnRows, folded: readonly string[]): Promise<Map<string, TagRow>> {
  if (folded.length === 0) return new Map();
  const text = `SELECT id, folded, label FROM tags WHERE account_id = ? AND ${queries.dialect.among('folded', 'TEXT')}`;
  const found = await queries.all<TagRow & { folded: string }>(text, accountId, folded);
  return new Map(found.map((tag) => [tag.folded, tag]));
}

/** Two columns that tell which of the labels are tags. */
export function tagFacts({ queries: { dialect }, accountId }: OwnRows, labels: readonly string[]): Statement {
  const tags = `${dialect.jsonAggregate}(${dialect.jsonList}(folded, id, label))`;
  return {
    sql: `(SELECT coalesce(max(id), 0) FROM tags WHERE ${dialect.idScope}) AS last_tag,
      (SELECT ${tags} FROM tags WHERE account_id = ? AND ${dialect.among('folded', 'TEXT')}) AS tags`,
    values: [accountId, accountId, [...new Set(labels.map(foldLabel))]],
  };
}

export interface TagFacts {
  readonly last_tag: number;
  readonly tags: Aggregated<[folded: string, id: number, label: string]>;
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
  return new Map(aggregated(tags).map(([folded, id, label]) => [folded, { id, label }]));
}

export function makeTags({ queries: { dialect }, accountId }: OwnRows, { made }: WantedTags): Statement[] {
  if (made.length === 0) return [];
  const table = dialect.table('made', { id: 'BIGINT', folded: 'TEXT', label: 'TEXT' }, made);
  const sql = `INSERT INTO tags (account_id, id, folded, label) SELECT CAST(? AS BIGINT), made.* FROM ${table.sql}`;
  return [{ sql, values: [accountId, ...table.values] }];
}

interface TagLink {
  readonly urlId: number;
  readonly label: string;
}

export function attachTags(rows: OwnRows, tags: WantedTags, links: readonly TagLink[]): Statement[] {
  return linked(rows, tags, links, (link) => {
    const selected = `SELECT CAST(? AS BIGINT), link.* FROM ${link}`;
    return `INSERT INTO url_tags (account_id, tag_id, url_id) ${selected} WHERE TRUE ON CONFLICT DO NOTHING`;
  });
}

export function detachTags(rows: OwnRows, tags: WantedTags, links: readonly TagLink[]): Statement[] {
  return linked(rows, tags, links, (link) => {
    return `DELETE FROM url_tags WHERE account_id = ? AND (tag_id, url_id) IN (SELECT tag_id, url_id FROM ${link})`;
  });
}

/** The text takes the account and the links. */
function linked(rows: OwnRows, { byFold }: WantedTags, links: readonly TagLink[], text: (link: string) => string): Statement[] {
  const pairs = links.flatMap(({ urlId, label }) => {
    const tag = byFold.get(foldLabel(label));
    return tag ? [{ tag_id: tag.id, url_id: urlId }] : [];
  });
  if (pairs.length === 0) return [];
  const { sql, values } = rows.queries.dialect.table('link', { tag_id: 'BIGINT', url_id: 'BIGINT' }, pairs);
  return [{ sql: text(sql), values: [rows.accountId, ...values] }];
}

export async function listTags({ queries, accountId }: OwnRows): Promise<string[]> {
  const text = `SELECT label FROM tags WHERE account_id = ? ORDER BY folded${queries.dialect.byBytes}`;
  return (await queries.all<{ label: string }>(text, accountId)).map(({ label }) => label);
}

export async function addTag(rows: OwnRows, label: string): Promise<AddedTag> {
  const { sql, values } = tagFacts(rows, [label]);
  const facts = await rows.queries.first<TagFacts>(`SELECT ${sql}`, ...values);
  const tags = wantedTags(facts ?? { last_tag: 0, tags: null }, [label]);
  const making = makeTags(rows, tags);
  if (making.length > 0) await rows.queries.together(making);
  return { label: tags.byFold.get(foldLabel(label))?.label ?? label, isNew: making.length > 0 };
}

export async function renameTag(rows: OwnRows, label: string, newLabel: string): Promise<RenameOutcome> {
  const [folded, newFolded] = [foldLabel(label), foldLabel(newLabel)];
  const tags = await findTags(rows, [folded, newFolded]);
  const tag = tags.get(folded);
  if (!tag) return 'unknown';
  const other = tags.get(newFolded);
  if (other && other.id !== tag.id) return 'taken';
  const text = 'UPDATE tags SET folded = ?, label = ? WHERE account_id = ? AND id = ?';
  await rows.queries.run(text, newFolded, newLabel, rows.accountId, tag.id);
  return 'renamed';
}

export async function deleteTag(rows: OwnRows, label: string): Promise<boolean> {
  const { queries, accountId } = rows;
  const folded = foldLabel(label);
  const tag = (await findTags(rows, [folded])).get(folded);
  if (!tag) return false;
  await queries.run('DELETE FROM url_tags WHERE account_id = ? AND tag_id = ?', accountId, tag.id);
  await queries.run('DELETE FROM tags WHERE account_id = ? AND id = ?', accountId, tag.id);
  return true;
}
