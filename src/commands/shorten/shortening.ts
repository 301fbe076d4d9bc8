import { UsageError } from '../../base/errors.ts';
import { hashAssigner } from '../../bulk/operations/made-hashes.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { openSession } from '../../cli/session.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { refuseRunFlags } from '../../flags/bulk-flags.ts';
import { readFieldFlags } from '../../flags/field-flags.ts';
import { missingInput } from '../../flags/missing-input.ts';
import { flagValue } from '../../input/field-values.ts';
import type { Report } from '../../output/report.ts';
import { picturesOf } from '../qr/qr-flags.ts';
import { modeOf, type ShortenOptions, shortenPresentation, withSandboxHint } from './shorten-options.ts';
import { shortenTyped, titleOf } from './typed-shortening.ts';

export async function shorten(given: ShortenOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  const isStdin = operands.length === 1 && operands[0] === '-' && given.file === undefined;
  const options = isStdin ? { ...given, file: '-' } : given;
  const urls = isStdin ? [] : operands;
  if (options.printTemplate)
    return await (await import('../../change/rows/file.ts')).printTemplate('shorten', options, invocation);
  if (options.file !== undefined) {
    if (urls.length > 0) throw new UsageError('specify only one of --file or <long-url>...');
    if (options.hash !== undefined) throw new UsageError('--hash applies to one URL: in a file, use the column custom_hash');
    return await (await import('./shortened-file.ts')).shortenFile(options, invocation);
  }
  if (urls.length === 0) throw missingInput("argument 'long-url'", missing);
  refuseRunFlags(options, '<long-url>...', '--file');
  if (options.onConflict !== undefined && options.hash === undefined) {
    throw new UsageError('--on-conflict requires --file or --hash');
  }
  if (options.hash !== undefined && urls.length > 1) throw new UsageError('--hash applies to one URL: give exactly one');
  // Imported only if it is needed: most URLs are typed without it.
  if (invocation.global.maxAffected !== undefined) {
    (await import('../../change/limits.ts')).refuseTooMany(urls.length, invocation);
  }
  const typed = await Promise.all(urls.map((url) => longUrl(url, invocation.now)));
  const longUrls = options.utm === undefined ? typed : (await import('../../flags/rewrite-flags.ts')).withUtm(typed, options.utm);
  const session = await openSession(invocation);
  const values = await readFieldFlags(options, session);
  const items = longUrls.map((long_url): ShortenItem => ({ long_url, ...values }));
  const rows = items.length;
  const mode = await modeOf(options, session, { rows, keyedRows: values.custom_hash === undefined ? 0 : rows });
  if (invocation.global.dryRun) {
    const { planOfTyped } = await import('./planned-urls.ts');
    return planOfTyped(items, mode, options, session);
  }
  const picture = await picturesOf(options, session);
  const { onConflict } = options;
  if (onConflict === 'update') {
    const { makeOrEdit } = await import('../../change/rows/taken-hashes.ts');
    const what = `${titleOf(items)} --hash ${values.custom_hash}`;
    return picture(await makeOrEdit({ what, items, mode, options, presentation: shortenPresentation }, session));
  }
  const assignHash = hashAssigner(mode, invocation.system);
  const named = items.map((item) => assignHash(item));
  return withSandboxHint(picture(await shortenTyped(named, { mode, onConflict }, session)), session);
}

async function longUrl(text: string, now: Invocation['now']): Promise<string> {
  try {
    return flagValue('long_url', 'long-url', text, now);
  } catch (error) {
    const hint = (await import('../../help/usage-error.ts')).fileCommand('linkctl shorten', [text]);
    throw hint === undefined ? error : new UsageError(`long-url: "${text}" is a file, not a URL`, { hint, cause: error });
  }
}

const missing = { command: 'shorten', usage: '<long-url>... | -f <file|->', example: 'https://nodejs.org/en/learn' };
