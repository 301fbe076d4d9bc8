import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { normalised } from '../support/manners.ts';
import type { StoredLink } from '../support/stored-links.ts';
import type { AccountState } from './account-state.ts';
import type { Circumstances, Dice } from './circumstances.ts';
import { resultsPath } from './deeds.ts';
import type { FaultWorld } from './fault-world.ts';

export const changes = ['edit -f', 'edit -f', 'edit same', 'delete', 'delete', 'reset', 'by tags'] as const;
export type Change = (typeof changes)[number];

/** One link that is to be changed, known by a label of its own whatever its hash and destination are. */
export interface ChangedRow {
  /** Empty where there is no such link. */
  readonly label: string;
  readonly domain: string;
  readonly hash: string;
  /** What is asked for; nothing where the link is deleted or its counters reset. */
  readonly fields: ChangedFields;
}

export interface ChangedFields {
  readonly custom_hash?: string;
  readonly long_url?: string;
  readonly note?: string;
  readonly tags?: string;
}

export interface ChangeJob {
  readonly change: Change;
  readonly verb: 'edit' | 'delete' | 'reset';
  readonly isTyped: boolean;
  readonly rows: readonly ChangedRow[];
  /** More links than `--max-affected` allows are selected, or bare hashes that may be on either domain (F5). */
  readonly isRefused: boolean;
  readonly argv: readonly string[];
}

/** Links that are there to be changed: the same hashes on every domain, and labels that distinguish them. */
export function targets(count: number, domain: string): object[] {
  return Array.from({ length: count }, (_, index) => ({
    custom_hash: `t${index}`,
    long_url: `https://target.example/${domain}/${index}`,
    note: 'before',
    tags: [`id-${domain}-${index}`, ...(index < count / 2 ? ['group'] : [])],
  }));
}

export function labelOf({ tags }: Pick<StoredLink, 'tags'>): string {
  return tags.find((tag) => tag.startsWith('id-')) ?? '';
}

export function drawChange(
  change: Change,
  isTyped: boolean,
  circumstances: Circumstances,
  world: FaultWorld,
  before: AccountState,
  dice: Dice,
): ChangeJob {
  const working = circumstances.domain ?? dice.of(circumstances.domains);
  const count = [...before.keys()].filter((key) => key.startsWith(`${working}/`) && /\/t\d+$/.test(key)).length;
  const chosen = Array.from({ length: count }, (_, index) => index).filter(() => dice.chance(0.8));
  const drawn = { change, isTyped, working, chosen: isTyped ? chosen.slice(0, 1 + dice.pick(4)) : chosen };
  const job =
    change === 'by tags'
      ? byTags(drawn, circumstances, before, dice)
      : change === 'edit -f'
        ? editFile(drawn, circumstances, world, dice)
        : sameForAll(drawn, circumstances, world, dice);
  return dice.chance(0.3) ? { ...job, argv: [...job.argv, '--no-undo'] } : job;
}

interface Drawn {
  readonly change: Change;
  readonly isTyped: boolean;
  readonly working: string;
  readonly chosen: readonly number[];
}

function rowOf(index: number, domain: string, fields: ChangedFields = {}): ChangedRow {
  return { label: `id-${domain}-${index}`, domain, hash: `t${index}`, fields };
}

function editFile({ change, working, chosen }: Drawn, circumstances: Circumstances, world: FaultWorld, dice: Dice): ChangeJob {
  const rows: ChangedRow[] = [];
  const chain = dice.chance(0.5) ? chosen.slice(0, 2 + dice.pick(3)) : [];
  // The last link of a chain makes room: its row comes first.
  for (const [position, index] of [...chain.entries()].reverse()) {
    const next = chain[position + 1];
    rows.push(rowOf(index, working, { custom_hash: next === undefined ? `room${index}` : `t${next}` }));
  }
  for (const index of chosen.slice(chain.length)) {
    rows.push(rowOf(index, working, drawFields(index, dice)));
    if (dice.chance(0.05)) rows.push(missingRow(rows.length, working, circumstances, dice));
  }
  const isPlaced = circumstances.domains.length > 1 && circumstances.domain === undefined;
  const isRefused = isPlaced && dice.chance(0.2);
  const file = join(world.folder, 'edits.csv');
  const cells = ({ hash, domain, fields }: ChangedRow): string =>
    [
      isPlaced && !isRefused ? `${domain}/${hash}` : hash,
      fields.custom_hash ?? '',
      fields.long_url ?? '',
      fields.note ?? '',
      fields.tags ?? '',
    ].join();
  writeFileSync(file, `hash,custom_hash,long_url,note,tags\n${rows.map((row) => `${cells(row)}\n`).join('')}`);
  const argv = ['edit', '-f', file, ...flagsOf(circumstances), ...runFlags(circumstances, world)];
  return { change, verb: 'edit', isTyped: false, rows, isRefused, argv };
}

function drawFields(index: number, dice: Dice): ChangedFields {
  const custom_hash = `ren${index}`;
  const long_url = `https://EXAMPLE.com/new/${index}`;
  const note = dice.of(['after', 'after ', ' after']);
  return dice.of<ChangedFields>([
    { note },
    { long_url },
    { custom_hash },
    { custom_hash },
    { custom_hash, long_url },
    { custom_hash, note },
    { tags: '+more' },
    { long_url, note },
    // A hash that somebody else has.
    { custom_hash: 'old20' },
  ]);
}

/** A hash that never was, and to which nothing may be done; its new one may be somebody else's. */
function missingRow(index: number, domain: string, { seeded }: Circumstances, dice: Dice): ChangedRow {
  const fields = dice.chance(0.5) && seeded > 50 ? { custom_hash: `old${30 + (index % 20)}` } : { note: 'after' };
  return { label: '', domain, hash: `nope${index}`, fields };
}

function sameForAll(drawn: Drawn, circumstances: Circumstances, world: FaultWorld, dice: Dice): ChangeJob {
  const { change, isTyped, working } = drawn;
  const chosen = isTyped && change === 'edit same' && dice.chance(0.4) ? drawn.chosen.slice(0, 1) : drawn.chosen;
  const isRename = isTyped && change === 'edit same' && chosen.length === 1 && dice.chance(0.6);
  const fields: ChangedFields =
    change !== 'edit same' ? {} : isRename ? { custom_hash: 'renamed' } : { note: dice.of(['after', ' after']) };
  const rows = chosen.map((index) => rowOf(index, working, fields));
  if (!isRename && dice.chance(0.15)) rows.push({ label: '', domain: working, hash: 'nope', fields });
  const isPlaced = circumstances.domains.length > 1 && circumstances.domain === undefined;
  const isRefused = isPlaced && !isTyped && dice.chance(0.2);
  const names = rows.map(({ hash }) =>
    (isPlaced && !isRefused) || (circumstances.edition === 'a' && !isRefused && dice.chance(0.2)) ? `${working}/${hash}` : hash,
  );
  const set = fields.custom_hash ? ['--new-hash', fields.custom_hash] : fields.note ? ['--note', fields.note] : [];
  const verb = ({ 'edit same': 'edit', delete: 'delete', reset: 'reset' } as const)[change as 'edit same' | 'delete' | 'reset'];
  const words = { edit: ['edit'], delete: ['delete', '--yes'], reset: ['stats', '--reset', '--yes'] }[verb];
  const flags = [...words, ...set, ...flagsOf(circumstances)];
  if (isTyped) {
    const limit = dice.chance(0.15) ? ['--max-time', dice.of(['0.3', '0.5', '1'])] : [];
    return { change, verb, isTyped, rows, isRefused: false, argv: [...flags, ...names, ...limit, '-o', 'json'] };
  }
  const file = join(world.folder, 'hashes.txt');
  writeFileSync(file, `${names.join('\n')}\n`);
  return {
    change,
    verb,
    isTyped,
    rows,
    isRefused,
    argv: [...flags, '--hashes-from', file, ...runFlags(circumstances, world)],
  };
}

/** Labels reach over all domains (4.1.7). */
function byTags({ change, isTyped }: Drawn, circumstances: Circumstances, before: AccountState, dice: Dice): ChangeJob {
  const rows = [...before].flatMap(([key, record]) =>
    record.tags.includes('group')
      ? [{ label: labelOf(record), domain: key.slice(0, key.indexOf('/')), hash: record.hash, fields: {} }]
      : [],
  );
  const verb = dice.of(['edit', 'delete', 'reset'] as const);
  const fields = verb === 'edit' ? { note: 'after' } : {};
  const words = { edit: ['edit', '--note', 'after'], delete: ['delete'], reset: ['stats', '--reset'] }[verb];
  const isTooMany = dice.chance(0.5);
  const most = isTooMany ? dice.pick(rows.length) : rows.length + dice.pick(3);
  const argv = [
    ...words,
    '--by-tags',
    'group',
    '--yes',
    '--max-affected',
    String(most),
    ...flagsOf({ ...circumstances, domain: undefined }),
    '-o',
    'json',
  ];
  return { change, verb, isTyped, rows: rows.map((row) => ({ ...row, fields })), isRefused: isTooMany, argv };
}

function flagsOf({ domain, timeout }: Circumstances): string[] {
  return [...(domain ? ['--domain', domain] : []), ...(timeout ? ['--timeout', String(timeout)] : [])];
}

function runFlags({ batchSize, concurrency }: Circumstances, world: FaultWorld): string[] {
  return ['--batch-size', String(batchSize), '--concurrency', String(concurrency), '--results', resultsPath(world)];
}

/** What a row asks for, as the link would stand in the account. */
export function isAfter(
  { verb }: ChangeJob,
  { hash, fields }: ChangedRow,
  was: StoredLink,
  now: StoredLink | undefined,
): boolean {
  if (verb === 'delete') return now === undefined;
  if (!now) return false;
  if (verb === 'reset') return now.total_clicks === 0 && sameForm({ ...was, total_clicks: 0 }, now);
  const tags = fields.tags ? [...was.tags, fields.tags.slice(1)] : was.tags;
  const { custom_hash = hash, long_url = was.long_url, note = was.note } = fields;
  return sameForm({ ...was, hash: custom_hash, long_url, note, tags }, now);
}

/** The same link, whatever form the server gave its texts. */
export function sameForm(one: StoredLink, other: StoredLink): boolean {
  const form = ({ hash, long_url, note, tags, total_clicks }: StoredLink): string =>
    JSON.stringify([hash, normalised(long_url), note.trim(), [...tags].sort(), total_clicks]);
  return form(one) === form(other);
}
