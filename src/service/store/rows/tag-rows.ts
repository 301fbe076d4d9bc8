import { foldLabel } from '../../../contract/tag-label.ts';
import type { AddedTag, RenameOutcome, UrlChanges } from '../store.ts';
import type { OwnRows } from './account-rows.ts';
import { type Aggregated, aggregated, only, type Statement } from './queries.ts';

/** Returns the ids of existing tags by folded label. */
export async function tagIds({ queries, accountId }: OwnRows, folded: readonly string[]): Promise<Map<string, number>> {
  if (folded.length === 0) return new Map();
  const text = `SELECT id, folded FROM tags WHERE account_id = ? AND ${queries.dialect.among('folded', 'TEXT')}`;
  const found = await queries.all<{ id: number; folded: string }>(text, accountId, folded);
  return new Map(found.map((tag) => [tag.folded, tag.id]));
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

interface FoldedTag {
  readonly folded: string;
  readonly id: number;
  readonly label: string;
}

/** The tags of a batch: stored ones, and those that it makes. */
export class BatchTags {
  readonly #byFold: Map<string, FoldedTag>;
  /** By spelling, because folding takes longer. */
  readonly #byLabel = new Map<string, FoldedTag>();
  readonly #lastId: number;
  readonly made: FoldedTag[] = [];

  constructor({ last_tag, tags }: TagFacts) {
    this.#lastId = last_tag;
    this.#byFold = new Map(aggregated(tags).map(([folded, id, label]) => [folded, { folded, id, label }]));
  }

  /** Makes a tag that is not stored. The first spelling is kept. */
  of(label: string): FoldedTag {
    const known = this.#byLabel.get(label);
    if (known) return known;
    const folded = foldLabel(label);
    const tag = this.#byFold.get(folded) ?? this.#make(folded, label);
    this.#byLabel.set(label, tag);
    return tag;
  }

  #make(folded: string, label: string): FoldedTag {
    const tag = { folded, id: this.#lastId + 1 + this.made.length, label };
    this.#byFold.set(folded, tag);
    this.made.push(tag);
    return tag;
  }

  /** Returns the labels of a URL after changes in the given order, sorted. */
  after(changes: UrlChanges['tags'], labels: readonly string[] = []): readonly string[] {
    if (changes.length === 0) return labels;
    const byFold = new Map(labels.map((label) => [foldLabel(label), label]));
    for (const { label, attach } of changes) {
      if (!attach) byFold.delete(foldLabel(label));
      else {
        const tag = this.of(label);
        byFold.set(tag.folded, tag.label);
      }
    }
    return [...byFold].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, label]) => label);
  }
}

export interface TagLink {
  readonly urlId: number;
  readonly label: string;
}

/** Stores the new tags of a batch, and attaches and detaches tags. */
export function changeTags(
  { queries: { dialect }, accountId }: OwnRows,
  tags: BatchTags,
  attached: readonly TagLink[] = [],
  detached: readonly TagLink[] = [],
): Statement[] {
  const linkTable = (links: readonly TagLink[]): Statement =>
    dialect.table(
      'link',
      { tag_id: 'BIGINT', url_id: 'BIGINT' },
      links.map(({ urlId, label }) => ({ tag_id: tags.of(label).id, url_id: urlId })),
    );
  const changes: Statement[] = [];
  const add = (table: Statement, sqlWith: (from: string) => string): void =>
    void changes.push({ sql: sqlWith(table.sql), values: [accountId, ...table.values] });
  if (attached.length > 0) {
    add(
      linkTable(attached),
      (link) => `INSERT INTO url_tags (account_id, tag_id, url_id) SELECT CAST(? AS BIGINT), link.* FROM ${link}`,
    );
  }
  if (detached.length > 0) {
    add(
      linkTable(detached),
      (link) => `DELETE FROM url_tags WHERE account_id = ? AND (tag_id, url_id) IN (SELECT tag_id, url_id FROM ${link})`,
    );
  }
  if (tags.made.length > 0) {
    const made = dialect.table('made', { id: 'BIGINT', folded: 'TEXT', label: 'TEXT' }, tags.made);
    add(made, (from) => `INSERT INTO tags (account_id, id, folded, label) SELECT CAST(? AS BIGINT), made.* FROM ${from}`);
  }
  return changes;
}

export async function listTags({ queries, accountId }: OwnRows): Promise<string[]> {
  const text = `SELECT label FROM tags WHERE account_id = ? ORDER BY folded${queries.dialect.byBytes}`;
  return (await queries.all<{ label: string }>(text, accountId)).map(({ label }) => label);
}

export async function addTag(rows: OwnRows, label: string): Promise<AddedTag> {
  const { sql, values } = tagFacts(rows, [label]);
  const tags = new BatchTags(only(await rows.queries.all<TagFacts>(`SELECT ${sql}`, ...values)));
  const added = tags.of(label);
  await rows.queries.together(changeTags(rows, tags));
  return { label: added.label, isNew: tags.made.length > 0 };
}

export async function renameTag(rows: OwnRows, label: string, newLabel: string): Promise<RenameOutcome> {
  const [folded, newFolded] = [foldLabel(label), foldLabel(newLabel)];
  const ids = await tagIds(rows, [folded, newFolded]);
  const id = ids.get(folded);
  if (id === undefined) return 'unknown';
  if ((ids.get(newFolded) ?? id) !== id) return 'taken';
  const text = 'UPDATE tags SET folded = ?, label = ? WHERE account_id = ? AND id = ?';
  await rows.queries.run(text, newFolded, newLabel, rows.accountId, id);
  return 'renamed';
}

export async function deleteTag({ queries, accountId }: OwnRows, label: string): Promise<boolean> {
  const text = 'DELETE FROM tags WHERE account_id = ? AND folded = ? RETURNING id';
  const tag = await queries.first<{ id: number }>(text, accountId, foldLabel(label));
  if (tag) await queries.run('DELETE FROM url_tags WHERE account_id = ? AND tag_id = ?', accountId, tag.id);
  return tag !== undefined;
}
