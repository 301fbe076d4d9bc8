import type { Edit, EditOutcome, StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { hashesOfEdits, planEdits } from './edit-plan.ts';
import { only, type Statement } from './queries.ts';
import { BatchTags, changeTags, type TagFacts, tagFacts } from './tag-rows.ts';
import { changedUrls, type FoundUrls, foundTable, foundUrls, urlsNamed, urlsOf, valueColumns } from './url-rows.ts';

/** Runs in the caller's transaction: one statement reads and one writes, unless hashes change. */
export async function editUrls(rows: AccountRows, domain: StoredDomain, edits: readonly Edit[]): Promise<readonly EditOutcome[]> {
  const facts = await readFacts(rows, domain, edits);
  const urls = await urlsOf(rows, facts);
  const tags = new BatchTags(facts);
  const { outcomes, steps, attached, detached } = planEdits(edits, urls, tags);
  const last = await writeFirst(rows, steps, urls);
  if (last.length > 0) await rows.queries.together([...changeTags(rows, tags, attached, detached), update(rows, last)]);
  return outcomes;
}

async function readFacts(rows: AccountRows, domain: StoredDomain, edits: readonly Edit[]): Promise<TagFacts & FoundUrls> {
  const labels = edits.flatMap(({ changes }) => changes.tags.map(({ label }) => label));
  const named = urlsNamed(rows, domain, hashesOfEdits(edits));
  const [tags, urls] = [tagFacts(rows, labels), foundUrls(rows)];
  const text = `WITH ${foundTable(named.sql)} SELECT ${tags.sql}, ${urls.sql}`;
  return only(await rows.queries.all(text, ...named.values, ...tags.values, ...urls.values));
}

/** If a hash passes from one URL to another, each step is written before the next. Returns the rest for the last statement. */
async function writeFirst(
  rows: AccountRows,
  steps: readonly StoredUrl[],
  before: readonly StoredUrl[],
): Promise<readonly StoredUrl[]> {
  const owners = new Map(before.map(({ id, hash }) => [hash, id]));
  const isPassed = steps.some(({ id, hash }) => (owners.get(hash) ?? id) !== id);
  if (!isPassed) return [...new Map(steps.map((url) => [url.id, url])).values()];
  for (const url of steps.slice(0, -1)) await rows.queries.together([update(rows, [url])]);
  return steps.slice(-1);
}

/** In the order of ids, in which clicks lock them. */
function update({ queries: { dialect }, accountId, now }: AccountRows, urls: readonly StoredUrl[]): Statement {
  const changed = changedUrls(
    dialect,
    [...urls].sort((a, b) => a.id - b.id),
  );
  const columns = valueColumns.replace('id, ', '');
  return {
    sql: `UPDATE urls AS u ${dialect.byId} SET (${columns}, modified) = (${columns.replace(/\w+/g, 'e.$&')}, ?)
      FROM ${changed.sql} WHERE u.account_id = ? AND u.id = e.id`,
    values: [now(), ...changed.values, accountId],
  };
}
