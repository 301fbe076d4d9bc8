import { domainToASCII } from 'node:url';
import { UsageError } from '../errors.ts';
import type { Source } from './source.ts';
import { SuspectTables } from './suspects.ts';
import { textLines } from './text-lines.ts';
import { existingHash, isRefused, quoted } from './values.ts';

/** One URL that a person names. */
export interface HashOperand {
  readonly hash: string;
  /** Where a short URL was given: its host in ASCII and lower case (B97), with the port if it has one. */
  readonly domain?: string;
}

/**
 * `abc`, `s.ex/abc` or `https://s.ex/abc` (CLI.md 3.5). Throws a UsageError for what would turn into another address:
 * nothing, `.` and `..`, and for what no list of hashes can hold.
 */
export function parseHash(text: string): HashOperand {
  const rest = text.replace(/^https?:\/\//i, '');
  const slash = rest.indexOf('/');
  const domain = slash < 0 ? undefined : hostName(rest.slice(0, slash));
  const hash = existingHash(rest.slice(slash + 1));
  if (isRefused(hash) || domain === '' || (rest !== text && domain === undefined)) {
    throw new UsageError(`${quoted(text)} is not a hash or a short URL`);
  }
  return domain === undefined ? { hash } : { hash, domain };
}

/** The operands of a command line, each URL once. */
export function parseHashes(texts: readonly string[]): HashOperand[] {
  const isNew = newcomers();
  return texts.map(parseHash).filter(isNew);
}

/** The lines of `--hashes-from`, some at a time, each URL once; blank lines and `#` comments are skipped. */
export async function* readHashes(source: Source): AsyncGenerator<HashOperand[]> {
  const isNew = newcomers();
  for await (const { first, lines } of textLines(source)) {
    const operands: HashOperand[] = [];
    for (const [index, line] of lines.entries()) {
      const text = line.trim();
      if (text !== '' && !text.startsWith('#')) operands.push(hashOfLine(text, `${source.name}:${first + index}`));
    }
    yield operands.filter(isNew);
  }
}

/** The hashes of each domain, in order; those given without one under undefined. A call works on one domain (4.1.7). */
export function hashesByDomain(operands: Iterable<HashOperand>): Map<string | undefined, string[]> {
  const groups = new Map<string | undefined, string[]>();
  for (const { domain, hash } of operands) {
    const group = groups.get(domain);
    if (group) group.push(hash);
    else groups.set(domain, [hash]);
  }
  return groups;
}

/** A file of hashes that was checked as a whole and can be read again, each URL once. */
export interface HashFile {
  /** URLs, each counted once. */
  readonly rows: number;
  /** Of the first lines, for a question. */
  readonly first: readonly HashOperand[];
  open(): AsyncGenerator<{ readonly line: number; readonly item: HashOperand }[]>;
}

/**
 * Checks a file of hashes without holding it: only hashes that may stand in it twice are kept. `placed` completes an operand, and
 * may refuse it. Throws a UsageError with the place of the first bad line, and for a file without a hash.
 */
export async function checkHashFile(source: Source, placed: (operand: HashOperand) => HashOperand): Promise<HashFile> {
  const tables = new SuspectTables();
  const suspects = new Set<string>();
  const first: HashOperand[] = [];
  let rows = 0;
  for await (const operands of hashLines(source, placed)) {
    rows += operands.length;
    for (const { item } of operands) {
      const key = keyOf(item);
      if (tables.suspects(key)) suspects.add(key);
      if (first.length < 5) first.push(item);
    }
  }
  async function* open(): AsyncGenerator<{ line: number; item: HashOperand }[]> {
    const seen = new Set<string>();
    const isNew = (key: string): boolean => !suspects.has(key) || seen.size < seen.add(key).size;
    for await (const operands of hashLines(source, placed)) yield operands.filter(({ item }) => isNew(keyOf(item)));
  }
  if (suspects.size > 0) {
    rows = 0;
    for await (const operands of open()) rows += operands.length;
  }
  if (rows === 0) throw new UsageError(`${source.name}: no hashes`);
  return { rows, first, open };
}

async function* hashLines(
  source: Source,
  placed: (operand: HashOperand) => HashOperand,
): AsyncGenerator<{ line: number; item: HashOperand }[]> {
  for await (const { first, lines } of textLines(source)) {
    const operands: { line: number; item: HashOperand }[] = [];
    for (const [index, line] of lines.entries()) {
      const text = line.trim();
      if (text === '' || text.startsWith('#')) continue;
      operands.push({ line: first + index, item: placed(hashOfLine(text, `${source.name}:${first + index}`)) });
    }
    yield operands;
  }
}

function keyOf({ domain, hash }: HashOperand): string {
  return domain === undefined ? hash : `${domain}/${hash}`;
}

function hashOfLine(text: string, place: string): HashOperand {
  try {
    return parseHash(text);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${place}: ${error.message}`, { cause: error }) : error;
  }
}

/** Exact, because a hash that is dropped wrongly would be silently left out of a change. */
function newcomers(): (operand: HashOperand) => boolean {
  const seen = new Set<string>();
  return (operand) => {
    const before = seen.size;
    seen.add(keyOf(operand));
    return seen.size > before;
  };
}

/** Empty where it is none. */
function hostName(text: string): string {
  const [, name = '', port = ''] = /^([^:@\s]+)(:\d{1,5})?$/.exec(text) ?? [];
  return `${domainToASCII(name)}${domainToASCII(name) && port}`;
}
