import { checksum } from '../base/checksum.ts';
import type { System } from '../base/system.ts';
import type { Client } from '../client/client.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { Watermark } from './checked/newest-links.ts';
import type { Ledger } from './execution/execution.ts';
import { journalLedger } from './journal/ledger.ts';
import type { BeginLine } from './journal/lines.ts';
import { newOrder, newRunName, pruneSmall } from './journal/new-run.ts';
import { smallJournal } from './journal/small-journal.ts';
import type { KnownRecord } from './matching/row-verdict.ts';
import type { Mode } from './operations/shorten.ts';
import { runFolders, smallRecord } from './records/run-names.ts';
import type { BulkRow, StopReason, Tally } from './results/row-outcome.ts';
import { answeringLedger } from './sending/answering-ledger.ts';

/** The record of links that are made as they were typed: one file, in the form of every journal. */
export interface TypedRecord {
  readonly run: string;
  ledger(rows: readonly BulkRow[]): Ledger<object>;
  /** Keeps what had the hashes of rows, where it was read. */
  before(rows: readonly BulkRow[]): Promise<void>;
  end(tally: Tally, stop: StopReason | undefined): Promise<void>;
}

export interface TypedSettings {
  readonly client: Pick<Client, 'identity' | 'edition' | 'send'>;
  readonly system: System;
  readonly stateFolder: string;
  readonly profile: string | undefined;
  readonly domain: string | undefined;
  readonly mode: Mode;
  /** Reads the newest links, where only they tell which link is the run's. */
  readonly takeMark?: (() => Promise<Watermark>) | undefined;
  /** When every link has its outcome, which is about to be recorded. */
  answered(): void;
}

/** Nothing is written before the first request. */
export function typedRecord(items: readonly ShortenItem[], settings: TypedSettings): TypedRecord {
  const { system, answered } = settings;
  const folders = runFolders(settings.stateFolder);
  const begin = beginLine(items, settings);
  const journal = smallJournal(smallRecord(begin.run, folders).path, system);
  void journal.write(begin);
  pruneSmall(folders);
  return {
    run: begin.run,
    ledger: (rows) => {
      const keyOf = settings.mode.generateHashes ? ({ payload }: BulkRow) => hashOf(payload) : undefined;
      return answeringLedger(
        journalLedger({ journal, firstBatch: 1, before: new Map(), keyOf, takeWatermark: settings.takeMark }),
        rows.length,
        answered,
      );
    },
    async before(rows) {
      const read = rows.filter(({ before }) => before !== undefined);
      if (read.length === 0) return;
      const payloads = read.map(({ payload }) => ({ hash: hashOf(payload), domain: settings.domain }));
      const records = read.map(({ before }): KnownRecord | null => before ?? null);
      await journal.write({ type: 'before', rows: read.map(({ index }) => index), payloads, records });
    },
    async end({ counts }, stop) {
      const reason = counts.unknown + counts.not_sent > 0 || stop ? 'unfinished' : 'complete';
      await journal.write({ type: 'end', reason, at: new Date(system.now()).toISOString() });
      await journal.close();
    },
  };
}

function hashOf(payload: Partial<ShortenItem>): string {
  return payload.custom_hash ?? '';
}

function beginLine(items: readonly ShortenItem[], settings: TypedSettings): BeginLine {
  const { client, system, profile, domain, mode } = settings;
  const { server, username: account } = client.identity;
  const folders = runFolders(settings.stateFolder);
  // Nobody looks for it by what it is, and two may begin in the same second.
  const key = Buffer.from(system.randomBytes(4)).toString('hex');
  const [only] = items;
  const what = `shorten ${items.length === 1 ? titleOf(only?.long_url ?? '') : `${items.length} URLs`}`;
  return {
    type: 'begin',
    version: 1,
    run: newRunName(key, system.now(), folders),
    order: newOrder(folders),
    operation: 'shorten',
    mode: mode.name,
    what,
    profile,
    server,
    account,
    edition: client.edition,
    domain: domain && withoutLocalPort(domain),
    input: { name: what, sha256: checksum(JSON.stringify(items)), rows: items.length },
    options: mode.generateHashes ? { generateHashes: true } : {},
    outputs: [],
    at: new Date(system.now()).toISOString(),
  };
}

/** Without what may be a secret: a user, a query, a fragment. */
function titleOf(longUrl: string): string {
  return longUrl.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}
