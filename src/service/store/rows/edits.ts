import { foldLabel } from '../../../contract/tag-label.ts';
import type { TagExpression } from '../../tag-expression.ts';
import type { Edit, EditOutcome, SharedChanges, StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { type EditPlan, hashesOfEdits, planEdits } from './edit-plan.ts';
import { onSelected } from './groups.ts';
import type { PostgresValue } from './queries.ts';
import {
  attachTags,
  knownTags,
  linkValues,
  makeTags,
  makeTagsValues,
  type TagFacts,
  type TagLink,
  tagFacts,
  type WantedTags,
  wantedTags,
} from './tag-rows.ts';
import { recordColumns, unnestedUrls, unnestedValues, urlsOf } from './url-rows.ts';

/** Runs in the caller's transaction: one statement reads and one writes, unless hashes change. */
export async function editUrls(rows: AccountRows, domain: StoredDomain, edits: readonly Edit[]): Promise<readonly EditOutcome[]> {
  const facts = await readFacts(rows, domain, edits);
  const urls = await urlsOf(rows, JSON.parse(facts.urls ?? '[]'));
  const known = knownTags(facts);
  const plan = planEdits(edits, { urls, labelOf: (folded) => known.get(folded)?.label });
  const last = await writeFirst(rows, plan.steps, urls);
  const tags = wantedTags(facts, plan.labels);
  if (last.length > 0) await write(rows, last, { ...plan, tags });
  return plan.outcomes;
}

interface StoredFacts extends TagFacts {
  /** The rows of the records as JSON. */
  readonly urls: string | null;
}

async function readFacts(
  { queries, accountId }: AccountRows,
  domain: StoredDomain,
  edits: readonly Edit[],
): Promise<StoredFacts> {
  const named = edits.flatMap(({ changes }) => changes.tags.map(({ label }) => foldLabel(label)));
  const facts = await queries.first<StoredFacts>(
    `SELECT ${tagFacts}, (SELECT json_agg(record) FROM (
       SELECT ${recordColumns} FROM urls AS u WHERE u.account_id = ? AND u.domain_id = ? AND u.hash = ANY(CAST(? AS TEXT[]))
     ) AS record) AS urls`,
    ...[accountId, accountId, [...new Set(named)]],
    ...[accountId, domain.id, hashesOfEdits(edits)],
  );
  if (!facts) throw new Error('the database has not answered');
  return facts;
}

function linksOf(changes: readonly { urlId: number; label: string }[], { byFold }: WantedTags): TagLink[] {
  return changes.flatMap(({ urlId, label }) => {
    const tag = byFold.get(foldLabel(label));
    return tag ? [{ tagId: tag.id, urlId }] : [];
  });
}

/** Writes changed hashes one by one, because a hash may pass from one URL to another. Returns the rest for the last statement. */
async function writeFirst(
  rows: AccountRows,
  steps: readonly StoredUrl[],
  before: readonly StoredUrl[],
): Promise<readonly StoredUrl[]> {
  const hashes = new Map(before.map(({ id, hash }) => [id, hash]));
  if (steps.every(({ id, hash }) => hashes.get(id) === hash)) return [...new Map(steps.map((url) => [url.id, url])).values()];
  for (const url of steps.slice(0, -1)) await rows.queries.run(update, ...updateValues(rows, [url]));
  return steps.slice(-1);
}

const update = `UPDATE urls AS u SET hash = e.hash, long_url = e.long_url, long_url_key = e.long_url_key, note = e.note, email_stats = e.email_stats,
    expiration_date = e.expiration_date, max_clicks = e.max_clicks, modified = ?
  FROM ${unnestedUrls} AS e (id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks)
  WHERE u.account_id = ? AND u.id = e.id`;

/** In the order of ids, in which clicks lock them. */
function updateValues({ accountId, now }: AccountRows, urls: readonly StoredUrl[]): PostgresValue[] {
  return [now(), ...unnestedValues([...urls].sort((a, b) => a.id - b.id)), accountId];
}

async function write(
  rows: AccountRows,
  urls: readonly StoredUrl[],
  { tags, attached, detached }: Pick<EditPlan, 'attached' | 'detached'> & { readonly tags: WantedTags },
): Promise<void> {
  await rows.queries.run(
    `WITH made_tags AS (${makeTags}), attached AS (${attachTags}),
       detached AS (DELETE FROM url_tags WHERE account_id = ? AND (tag_id, url_id) IN
         (SELECT tag_id, url_id FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS link (tag_id, url_id)))
     ${update}`,
    ...makeTagsValues(rows, tags.made),
    ...linkValues(rows, linksOf(attached, tags)),
    ...linkValues(rows, linksOf(detached, tags)),
    ...updateValues(rows, urls),
  );
}

/** Sets the same fields for all selected URLs. */
export async function editTagged(rows: AccountRows, expression: TagExpression, changes: SharedChanges): Promise<number> {
  const { note, emailStats, expirationDate, maxClicks } = changes;
  const columns: [string, PostgresValue | undefined][] = [
    ['note', note],
    ['email_stats', emailStats === undefined ? undefined : Number(emailStats)],
    ['expiration_date', expirationDate],
    ['max_clicks', maxClicks],
  ];
  const now = rows.now();
  const outcome = await onSelected(rows, { kind: 'tags', expression }, async (ids) => {
    for (const [column, value] of columns) {
      if (value === undefined) continue;
      const text = `UPDATE urls SET ${column} = ?, modified = ? WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[]))`;
      await rows.queries.run(text, value, now, rows.accountId, ids);
    }
  });
  return outcome.kind === 'done' ? outcome.count : 0;
}
