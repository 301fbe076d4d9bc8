import type { Command } from 'commander';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import { cacheLabels } from '../completion/label-storage.ts';
import { readableUrl } from '../contract/web-address.ts';
import { describe } from '../help/description.ts';
import type { Column, Row, RowsReport } from '../output/report.ts';

export function register(command: Command, run: Runner): void {
  command.action(run(listDomains));
  describe(command, {
    examples: ['linkctl domains', 'linkctl domains --fields domain,redirect_code'],
    fields: domainColumns,
    notes: ['On a terminal, * marks the default domain. Commands without --domain use it.'],
    onlyReads: true,
    globals: ['--fields'],
  });
}

async function listDomains(_options: object, invocation: Invocation): Promise<RowsReport> {
  const session = await openSession(invocation);
  async function* rows(): AsyncGenerator<Row[]> {
    const { domains } = await session.client.send('listDomains', {});
    cacheLabels(
      'domains',
      domains.map(({ domain }) => domain),
      session,
    );
    yield domains;
  }
  return {
    kind: 'rows',
    key: 'domains',
    rows: rows(),
    columns: domainColumns,
    tableFields: ['domain', 'status', 'use_https', 'redirect_code', 'hash_generation'],
    empty: 'no domains',
  };
}

const domainColumns: readonly Column[] = [
  { name: 'domain', show: (value, { status }) => `${status === 'default' ? '*' : ' '} ${readable(String(value))}` },
  { name: 'status' },
  { name: 'use_https', title: 'HTTPS' },
  { name: 'redirect_code', title: 'CODE' },
  { name: 'hash_generation', title: 'GENERATION' },
  { name: 'hash_character_set' },
  { name: 'custom_root_page', shrinks: true },
  { name: 'custom_404_page', shrinks: true },
];

/** Returns `例え.jp (xn--r8jz45g.jp)`; plain and invalid names stay unchanged. */
function readable(domain: string): string {
  const shown = readableUrl(domain);
  return shown === domain ? domain : `${shown} (${domain})`;
}
