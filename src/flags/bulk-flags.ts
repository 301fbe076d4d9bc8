import { type Command, Option } from 'commander';
import { UsageError } from '../base/errors.ts';
import { type DateFormat, dateFormats } from '../input/dates.ts';
import { type InputFormat, inputFormats } from '../input/format.ts';
import { choice, count, once } from './values.ts';

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

interface SharedFlag {
  readonly flags: string;
  readonly summary: string;
  readonly parse?: (text: string, before: unknown) => unknown;
}

/** Many commands have these flags, so a page of their own explains them: `help csv` and `help runs`. */
export const sharedFlags: { readonly [P in 'csv' | 'runs']: readonly SharedFlag[] } = {
  csv: [
    {
      flags: '--input-format <format>',
      summary: 'lines, csv, json or jsonl (default: by file extension)',
      parse: choice(inputFormats),
    },
    { flags: '--delimiter <c>', summary: "csv delimiter, such as ';' or tab (default: found from the header)" },
    {
      flags: '--columns <list>',
      summary: "fields of csv columns: 'long_url=Landing page,custom_hash=Code'",
      parse: once,
    },
    {
      flags: '--date-format <format>',
      summary: 'dates such as 31.12.2031 (dmy) or 12/31/2031 (mdy)',
      parse: choice(dateFormats),
    },
    { flags: '--tag-separator <c>', summary: 'separator of tags in a csv cell (default: comma)' },
    { flags: '--encoding <name>', summary: 'encoding of the file, such as windows-1252 (default: UTF-8)', parse: once },
    { flags: '--strict-columns', summary: 'refuse unknown columns' },
    { flags: '--strip-formula-guard', summary: "remove one leading ' from csv cells" },
    { flags: '--print-template', summary: 'print a sample input file' },
  ],
  runs: [
    {
      flags: '--batch-size <n>',
      summary: 'maximum rows per request (default: the limit of the edition)',
      parse: count(1),
    },
    { flags: '--concurrency <n>', summary: 'maximum number of parallel requests (default: 4)', parse: count(1) },
    { flags: '--budget <calls>', summary: 'maximum number of API calls', parse: count(1) },
    { flags: '--fail-fast', summary: 'stop at the first batch with a failure' },
    { flags: '--again', summary: 'run again even if an earlier run completed' },
    { flags: '--force', summary: 'start even if the quota is too low' },
    // Without --undo, a single link in a script has no record.
    { flags: '--undo', summary: 'record the change for undo, also for a single link in a script' },
    { flags: '--no-undo', summary: 'do not record the change for undo: saves one request per batch' },
  ],
};

/** For help: flags and their meanings. */
export function sharedFlagRows(page: keyof typeof sharedFlags): (readonly [string, string])[] {
  return sharedFlags[page].map(({ flags, summary }) => [flags, summary]);
}

function addShared(command: Command, page: keyof typeof sharedFlags, isMeant = (_long: string): boolean => true): void {
  for (const { flags, summary, parse } of sharedFlags[page]) {
    if (!isMeant(flags.replace(/ .*/, ''))) continue;
    const option = new Option(flags, summary).helpGroup(page);
    command.addOption(parse ? option.argParser(parse) : option);
  }
}

export function addInputFlags(command: Command): void {
  command.option('-f, --file <path>', 'read rows from <path>; - reads stdin', once);
  addShared(command, 'csv');
  command
    .addOption(new Option('--ignore-unknown-columns').hideHelp())
    .addOption(new Option('--formula-guarded').implies({ stripFormulaGuard: true }).hideHelp());
}

export function addBaseFlag(command: Command): void {
  command.option('--base <file>', 'listing that the file was made from; only differences are changed', once);
}

/** Comparisons ignore empty cells without it. */
export function addClearFlag(command: Command): void {
  command.option('--clear-empty', 'empty csv cells clear note, tags, expiration_date and max_clicks');
}

/** `force` replaces the meaning of that flag. */
export function addBatchFlags(command: Command, force?: string): void {
  command
    .option('--results <file>', 'write the final status of every row to <file>')
    .option('--failed <file>', 'write the failed rows to <file>, to correct and run again');
  addShared(command, 'runs', (long) => !undoFlags.includes(long) && (force === undefined || long !== '--force'));
  if (force !== undefined) command.option('--force', force);
}

const undoFlags: readonly string[] = ['--undo', '--no-undo'];

export function addUndoFlags(command: Command): void {
  addShared(command, 'runs', (long) => undoFlags.includes(long));
}

/** For changes that always keep an undo record otherwise. */
export function addNoUndoFlag(command: Command): void {
  addShared(command, 'runs', (long) => long === '--no-undo');
}

type BulkFlag = keyof BulkOptions;

const inputFlags: readonly BulkFlag[] = [
  'inputFormat',
  'delimiter',
  'columns',
  'dateFormat',
  'tagSeparator',
  'encoding',
  'strictColumns',
  'ignoreUnknownColumns',
  'includeProtected',
  'stripFormulaGuard',
];
const runFlags: readonly BulkFlag[] = ['results', 'failed', 'concurrency', 'budget', 'again', 'force'];

/** `way` describes how the URLs were given. */
export function refuseRowFlags(options: BulkOptions, way: string): void {
  refuse(inputFlags, options, `--file and cannot be used with ${way}`);
}

/** `files` are the flags that start a run. */
export function refuseRunFlags(options: BulkOptions, way: string, files: string): void {
  refuseRowFlags(options, way);
  refuse(runFlags, options, `${files} and cannot be used with ${way}`);
}

function refuse(flags: readonly BulkFlag[], options: BulkOptions, place: string): void {
  const given = flags.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const flag = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag} requires ${place}`);
}
