import { type Command, Option } from 'commander';
import { UsageError } from '../base/errors.ts';
import { type InputFormat, inputFormats } from '../contract/formats.ts';
import { type DateFormat, dateFormats } from '../input/dates.ts';
import { choice, count, once, outputPath } from './values.ts';

export interface BulkOptions {
  readonly file?: string;
  readonly inputFormat?: InputFormat;
  readonly delimiter?: string;
  readonly strictColumns?: boolean;
  /** Has no effect, because unknown columns are ignored by default. Kept for scripts. */
  readonly ignoreUnknownColumns?: boolean;
  readonly includeProtected?: boolean;
  readonly stripFormulaGuard?: boolean;
  readonly columns?: string;
  readonly dateFormat?: DateFormat;
  readonly tagSeparator?: string;
  readonly encoding?: string;
  readonly base?: string;
  readonly clearEmpty?: boolean;
  readonly results?: string;
  readonly failed?: string;
  readonly batchSize?: number;
  readonly concurrency?: number;
  readonly budget?: number;
  readonly failFast?: boolean;
  readonly again?: boolean;
  readonly force?: boolean;
  readonly printTemplate?: boolean;
  /** False with `--no-undo`. */
  readonly undo?: boolean;
}

type SharedFlag = readonly [flags: string, summary: string, parse?: (text: string, before: unknown) => unknown];

/** Many commands have these flags, so a page of their own explains them: `help csv` and `help runs`. */
export const sharedFlags: { readonly [P in 'csv' | 'runs']: readonly SharedFlag[] } = {
  csv: [
    ['--input-format <format>', 'lines, csv, json or jsonl (default: by file extension)', choice(inputFormats)],
    ['--delimiter <c>', "csv delimiter, such as ';' or tab (default: found from the header)"],
    ['--columns <list>', "fields of csv columns: 'long_url=Landing page,custom_hash=Code'", once],
    ['--date-format <format>', 'dates such as 31.12.2031 (dmy), 12/31/2031 (mdy) or 2031/12/31 (ymd)', choice(dateFormats)],
    ['--tag-separator <c>', 'separator of tags in a csv cell (default: comma)'],
    ['--encoding <name>', 'encoding of the file, such as windows-1252 (default: UTF-8)', once],
    ['--strict-columns', 'refuse unknown columns and JSON members'],
    ['--strip-formula-guard', "remove one leading ' from csv cells"],
    ['--print-template', 'print a sample input file'],
  ],
  runs: [
    ['--batch-size <n>', 'maximum rows per request (default: the limit of the edition)', count(1)],
    ['--concurrency <n>', 'maximum number of parallel requests (default: 4)', count(1)],
    ['--budget <calls>', 'maximum number of API calls', count(1)],
    ['--fail-fast', 'stop at the first batch with a failure'],
    ['--again', 'run again even if an earlier run completed'],
    ['--force', 'start even if the quota is too low'],
    ['--undo', 'edit, delete, stats: keep the old values for undo despite config set undo off'],
    ['--no-undo', 'edit, delete, stats, rewrite, tags: do not keep them: saves one request per batch (as config set undo off)'],
  ],
};

function addShared(command: Command, page: keyof typeof sharedFlags, isMeant = (_flags: string): boolean => true): void {
  command.optionsGroup(page);
  for (const [flags, summary, parse] of sharedFlags[page]) {
    if (!isMeant(flags)) continue;
    if (parse) command.option(flags, summary, parse);
    else command.option(flags, summary);
  }
  command.optionsGroup('');
}

export function addInputFlags(command: Command): void {
  command.option('-f, --file <path>', 'read rows from <path>; - reads stdin', once);
  addShared(command, 'csv');
  command
    .addOption(new Option('--ignore-unknown-columns').hideHelp())
    .addOption(new Option('--formula-guarded').implies({ stripFormulaGuard: true }).hideHelp());
}

export function addBaseFlag(command: Command): void {
  command.option('--base <file>', 'listing that the file was made from; only differences from it count', once);
}

/** Comparisons ignore empty cells without it. */
export function addClearFlag(command: Command): void {
  command.option('--clear-empty', 'empty csv cells clear note, tags, expiration_date and max_clicks');
}

/** `force` replaces the meaning of that flag. */
export function addBatchFlags(command: Command, force?: string): void {
  command
    .option('--results <file>', 'write the final status of every row to <file>', outputPath)
    .option('--failed <file>', 'write the failed rows, without values of flags, to <file>, to correct and run again', outputPath);
  addShared(command, 'runs', (flags) => !flags.includes('undo') && (flags !== '--force' || force === undefined));
  if (force !== undefined) command.option('--force', force);
}

export function addUndoFlags(command: Command): void {
  addShared(command, 'runs', (flags) => flags.includes('undo'));
}

/** For changes that cannot override `config set undo off`. */
export function addNoUndoFlag(command: Command): void {
  addShared(command, 'runs', (flags) => flags === '--no-undo');
}

const inputFlags = [...sharedFlags.csv.map(([flags]) => flags), '--include-protected', '--base'];
const runFlags = ['--results', '--failed', '--concurrency', '--budget', '--again', '--force'];

/** `way` describes how the URLs were given. */
export function refuseRowFlags(options: BulkOptions, way: string): void {
  refuse(inputFlags, options, `--file and cannot be used with ${way}`);
}

/** `files` are the flags that start a run. */
export function refuseRunFlags(options: BulkOptions, way: string, files: string): void {
  refuseRowFlags(options, way);
  refuse(runFlags, options, `${files} and cannot be used with ${way}`);
}

function refuse(flags: readonly string[], options: BulkOptions, place: string): void {
  const all = flags.map((flag) => new Option(flag));
  const given = all.find((option) => options[option.attributeName() as keyof BulkOptions] !== undefined);
  if (given) throw new UsageError(`${given.long} requires ${place}`);
}
