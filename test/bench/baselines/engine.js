import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The engine alone: the rows of a batch in one transaction, in a copy of the service's own file, with ids and keys made beforehand.
 * Answers with what inserts `count` batches.
 */
export async function insertBare(data, links) {
  const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
  const file = readdirSync(data).find((name) => name.endsWith('.db') || name.endsWith('.sqlite'));
  for (const suffix of ['', '-wal']) {
    if (existsSync(join(data, file + suffix))) copyFileSync(join(data, file + suffix), join(data, `bare-copy${suffix}`));
  }
  const engine = new DatabaseSync(join(data, 'bare-copy'));
  engine.exec('PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=10000; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536');
  const {
    account_id: account,
    domain_id: domain,
    id,
  } = engine.prepare('SELECT account_id, domain_id, max(id) AS id FROM urls').get();
  const tags = new Map(
    engine
      .prepare('SELECT label, id FROM tags')
      .all()
      .map((row) => [row.label, row.id]),
  );
  const addUrl = engine.prepare(
    `INSERT INTO urls (id, account_id, domain_id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks, modified)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, NULL, 0, ?)`,
  );
  const addTag = engine.prepare('INSERT INTO url_tags (account_id, tag_id, url_id) VALUES (?, ?, ?)');
  let next = id + 1;
  let number = 90_000_000;
  const insertBatch = (items) => {
    engine.exec('BEGIN IMMEDIATE');
    for (const { custom_hash, long_url, note, tags: labels } of items) {
      const key = Math.floor(Math.random() * 2 ** 48);
      addUrl.run(next, account, domain, custom_hash, long_url, key, note, Date.now());
      for (const label of labels) addTag.run(account, tags.get(label), next);
      next += 1;
    }
    engine.exec('COMMIT');
  };
  return {
    insert(count) {
      for (let batch = 0; batch < count; batch++, number += 1000) insertBatch(links(number, 1000));
    },
    close: () => engine.close(),
  };
}
