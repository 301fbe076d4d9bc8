import { writeFileSync } from 'node:fs';
import { checksum } from '../base/checksum.ts';
import type { Session } from '../cli/session.ts';
import { type LinkKey, linkText } from '../contract/link.ts';
import { refuseRunFlags } from '../flags/bulk-flags.ts';
import { resolveOperands } from '../input/named-targets.ts';
import { quantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import { type NamedChange, nameOf, same } from './asked-change.ts';
import { refuseTooMany, requireAnswer } from './consent-limits.ts';
import { inlineReport } from './inline-report.ts';
import type { ReadableRows } from './planned-rows.ts';
import { keepsUndo, sendingOf } from './sending-flags.ts';
import { shownBefore } from './shown-result.ts';
import { collectRun, type TypedResult } from './typed-run.ts';

/** Operands and a file of hashes. */
export async function changeNamed(change: NamedChange, session: Session): Promise<RowsReport> {
  const { selection, asks } = change;
  if (!asks.isOptional) await requireAnswer(session, 'named');
  return selection.kind === 'hashes'
    ? await changeOperands(change, selection.operands, session)
    : await (await import('./listed-hashes.ts')).changeFile(change, selection.path, session);
}

async function changeOperands(change: NamedChange, operands: readonly string[], session: Session): Promise<RowsReport> {
  refuseRunFlags(change.options, '<hash>...', '--hashes-from');
  const { targets, domains } = await resolveOperands(operands, session, 'typed change');
  refuseTooMany(targets.length, session);
  const { batchSize } = sendingOf(change.options, session);
  if (session.global.dryRun) {
    const input = { open: () => [targets.map((item, index) => ({ line: index + 1, item }))] };
    const { planOf } = await import('./named-plan.ts');
    return planOf(change, { input, targets: [targets], batchSize, domains, isTyped: true }, session);
  }
  const undo = await keepsUndo(change.options, session);
  const rows = targets.map((item, index) => ({ line: index + 1, item }));
  const named = { rows: rows.length, open: () => [rows] };
  const input = change.asks.isOptional ? named : await consentTo(change, { ...named, batchSize }, session);
  const done = await typedRun(change, { undo, rows: input }, session);
  const presentation = { ...namesDomains(change.presentation, domains), ignoreMissing: change.options.ignoreMissing };
  const printed = () => shownBefore(done.run, session);
  return await inlineReport(done, { presentation, fields: change.fields, printed }, session);
}

/** As a run, whatever their number: it leaves a record, and can be undone where it keeps what the links were. */
async function typedRun(
  change: NamedChange,
  { undo, rows }: { readonly undo: boolean; readonly rows: ReadableRows<LinkKey> },
  session: Session,
): Promise<TypedResult<LinkKey>> {
  const { options, operation, flags = { options: {} } } = change;
  const targets: LinkKey[] = [];
  for await (const some of rows.open()) for (const { item } of some) targets.push(item);
  const texts = targets.map(linkText);
  const what = `${nameOf(change)} ${texts.length === 1 ? texts[0] : quantity(texts.length, 'link')}`;
  const json = JSON.stringify(targets);
  const input = {
    ...rows,
    name: what,
    // Another change of the same links is another run.
    sha256: checksum(JSON.stringify([json, flags.options])),
    copyTo: async (path: string) => writeFileSync(path, json, { flag: 'wx', mode: 0o600, flush: true }),
  };
  return await collectRun(
    { ...sendingOf(options, session), ...flags, operation, undo, input, payload: same, what, columns: ['hash'] },
    session,
  );
}

async function consentTo(
  change: NamedChange,
  { batchSize, ...input }: ReadableRows<LinkKey> & { readonly batchSize: number },
  session: Session,
): Promise<ReadableRows<LinkKey>> {
  const { consentToRows } = await import('./planned-rows.ts');
  const { outcomes } = await import('./named-plan.ts');
  return await consentToRows({ ...change, input, outcomeOf: outcomes(change), batchSize }, session);
}
