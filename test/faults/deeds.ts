import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { StoredLink } from '../support/stored-links.ts';
import type { FaultWorld } from './fault-world.ts';

/** One command line of the matrix, what it finds at the service, and what it should leave there. */
export interface Deed {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly rows: number;
  /** Requests of that method when nothing goes wrong. */
  readonly writes: number;
  /** The first of them that only prove the server's behaviour: faults come later. */
  readonly proof: number;
  /** Where a journal and a results file are kept. */
  readonly journalled: boolean;
  prepare(world: FaultWorld): Promise<readonly string[]>;
  /** How often each row has taken effect. */
  effects(stored: readonly StoredLink[]): number[];
  /** Whether the record is what the row of this number, from 0, asked for. */
  isDone(stored: readonly StoredLink[], row: number, hash: string): boolean;
}

export const deedNames = ['shorten', 'shorten -f', 'keyed', 'edit', 'edit -f', 'delete'] as const;
export type DeedName = (typeof deedNames)[number];

const batch = ['--batch-size', '3', '--concurrency', '1', '--results'];
/** A server may answer with the address in another form (F37). */
const longUrl = (row: number): string => `https://EXAMPLE.com/${row}`;
const sameUrl = (one: string, other: string): boolean => new URL(one).href === new URL(other).href;

export function resultsPath({ folder }: Pick<FaultWorld, 'folder'>): string {
  return join(folder, 'results.csv');
}

const shortening = {
  method: 'POST',
  effects(this: Deed, stored: readonly StoredLink[]): number[] {
    return counts(this.rows, (row) => stored.filter((record) => sameUrl(record.long_url, longUrl(row))).length);
  },
  isDone: (stored: readonly StoredLink[], row: number, hash: string): boolean =>
    stored.some((record) => record.hash.toLowerCase() === hash.toLowerCase() && sameUrl(record.long_url, longUrl(row))),
} as const;

const editing = {
  method: 'PATCH',
  proof: 0,
  effects(this: Deed, stored: readonly StoredLink[]): number[] {
    return counts(this.rows, (row) => Number(this.isDone(stored, row, `h${row}`)));
  },
  isDone: (stored: readonly StoredLink[], row: number): boolean =>
    stored.some(({ hash, note }) => hash === `h${row}` && note === 'new'),
} as const;

export const deeds: { readonly [D in DeedName]: Deed } = {
  shorten: { ...shortening, rows: 1, writes: 1, proof: 0, journalled: false, prepare: async () => ['shorten', longUrl(0)] },
  'shorten -f': {
    ...shortening,
    rows: 5,
    writes: 2,
    proof: 0,
    journalled: true,
    prepare: async (world) => ['shorten', '-f', links(world), ...batch, resultsPath(world)],
  },
  keyed: {
    ...shortening,
    rows: 5,
    writes: 4,
    proof: 2,
    journalled: true,
    prepare: async (world) => ['shorten', '-f', links(world), '--generate-hashes', ...batch, resultsPath(world)],
  },
  edit: {
    ...editing,
    rows: 3,
    writes: 1,
    journalled: false,
    prepare: async (world) => ['edit', ...(await existing(world, 3)), '--note', 'new'],
  },
  'edit -f': {
    ...editing,
    rows: 5,
    writes: 2,
    journalled: true,
    async prepare(world) {
      const hashes = await existing(world, 5);
      const file = written(world, 'edits.csv', ['hash,note', ...hashes.map((hash) => `${hash},new`)]);
      return ['edit', '-f', file, ...batch, resultsPath(world)];
    },
  },
  delete: {
    method: 'DELETE',
    rows: 5,
    writes: 2,
    proof: 0,
    journalled: true,
    async prepare(world) {
      const file = written(world, 'hashes.txt', await existing(world, 5));
      return ['delete', '--yes', '--hashes-from', file, ...batch, resultsPath(world)];
    },
    effects(stored) {
      return counts(this.rows, (row) => Number(this.isDone(stored, row, '')));
    },
    isDone: (stored, row) => stored.every(({ hash }) => hash !== `h${row}`),
  },
};

function counts(rows: number, count: (row: number) => number): number[] {
  return Array.from({ length: rows }, (_, row) => count(row));
}

function links(world: FaultWorld): string {
  return written(world, 'links.csv', ['long_url', ...counts(5, (row) => row).map(longUrl)]);
}

async function existing(world: FaultWorld, count: number): Promise<string[]> {
  const hashes = counts(count, (row) => row).map((row) => `h${row}`);
  const items = hashes.map((custom_hash, row) => ({ custom_hash, long_url: longUrl(row), note: 'old' }));
  // A server may take no more than two in one call.
  for (let row = 0; row < count; row += 2) await world.create(items.slice(row, row + 2));
  return hashes;
}

function written({ folder }: FaultWorld, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

export interface ResultRow {
  readonly row: string;
  readonly status: string;
  readonly hash: string;
  readonly short_url: string;
  readonly long_url: string;
  readonly code: string;
  readonly message: string;
}

export function readResults(world: Pick<FaultWorld, 'folder'>): ResultRow[] {
  const path = resultsPath(world);
  return existsSync(path) ? parse(readFileSync(path, 'utf8'), { columns: true }) : [];
}
