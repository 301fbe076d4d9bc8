import type { InputUse } from '../contract/formats.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { TextReport } from '../output/report.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './session.ts';

/** Reads the session for its edition. */
export async function printTemplate(
  use: InputUse,
  { inputFormat = 'csv' }: BulkOptions,
  invocation: Invocation,
): Promise<TextReport> {
  const { inputTemplate } = await import('../input/template.ts');
  const { edition } = await openSession(invocation);
  return { kind: 'text', text: inputTemplate(use, edition, inputFormat) };
}
