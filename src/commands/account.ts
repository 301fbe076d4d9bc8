import { type Command, InvalidArgumentError } from 'commander';
import { LimitError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import { type AccountRecord, isObject } from '../contract/records.ts';
import { describe } from '../help/description.ts';
import { grouped } from '../output/quantity.ts';
import type { Column, RecordReport, Row } from '../output/report.ts';
import type { Streams } from '../output/streams.ts';
import { endText } from '../output/url-columns.ts';

export function register(command: Command, run: Runner): void {
  command
    .option('--fail-above <percent>', 'exit 7 if a counter exceeds this percentage of its limit', percent)
    .action(run(showAccount));
  describe(command, {
    examples: [
      'linkctl account',
      'linkctl account --fail-above 80 -q > /dev/null',
      'linkctl account --fields counters.urls.count',
    ],
    notes: [
      'The counters depend on the server. A counter at 90 % of its limit or more causes a warning on stderr. ' +
        'In a pipe and for --fields, nested members have names such as counters.urls.count.',
    ],
    onlyReads: true,
    globals: ['--fields', '--quiet'],
  });
}

/** Any server may send counters that no document names (2.2). */
async function showAccount({ failAbove }: { failAbove?: number }, invocation: Invocation): Promise<RecordReport> {
  const { client } = await openSession(invocation);
  const { account } = await client.send('getAccount', {});
  const { streams } = invocation;
  const gauges = gaugesOf(account);
  const flat = flatten(account);
  const columns = Object.keys(flat).map(columnOf);
  return {
    kind: 'record',
    key: 'account',
    record: account,
    flat,
    columns,
    block: blockColumns(columns, gauges, streams),
    notes: () => [
      ...gauges.filter(({ count, limit }) => count * 100 >= limit * 90).map((gauge) => `warning: ${sentence(gauge)}`),
      ...oddCounters(account),
      ...missingCounters(gauges, failAbove),
    ],
    outcome: () => limitFailure(gauges, failAbove),
  };
}

function columnOf(name: string): Column {
  if (name === 'account_expiration_date') return { name, time: true, show: endText };
  return name.startsWith('counters.') ? { name, align: 'right' } : { name };
}

interface Gauge {
  readonly name: string;
  readonly count: number;
  readonly limit: number;
}

/** Real servers leave out either number, and a limit of 0 stands for "no limit". */
function gaugesOf({ counters }: Partial<AccountRecord>): Gauge[] {
  return Object.entries(counters ?? {}).flatMap(([name, counter]) => {
    const { count, limit } = counter ?? {};
    if (!isSound(count) || !isSound(limit) || limit <= 0) return [];
    return [{ name, count, limit }];
  });
}

function isSound(value: unknown): value is number {
  return Number.isFinite(value);
}

/** A counter that nobody can compare must not look like one that is not full. */
function oddCounters({ counters }: Partial<AccountRecord>): string[] {
  const names = Object.entries(counters ?? {}).flatMap(([name, counter]) => {
    const { count, limit } = counter ?? {};
    const isOdd = typeof (counter ?? {}) !== 'object' || [count, limit].some((value) => value != null && !isSound(value));
    return isOdd ? [name] : [];
  });
  return names.map((name) => `warning: counter ${name} is ignored: it has no sound numbers`);
}

function sentence(gauge: Gauge): string {
  const { name, count, limit } = gauge;
  return `counter ${name} is at ${percentText(gauge)}: ${grouped(count)} of ${grouped(limit)}`;
}

/** Rounds down: a value at the limit must not look as if it exceeded it. */
function percentText({ count, limit }: Gauge): string {
  return `${Math.floor((count * 1000) / limit) / 10} %`;
}

function missingCounters(gauges: readonly Gauge[], failAbove: number | undefined): string[] {
  return failAbove === undefined || gauges.length > 0 ? [] : ['warning: --fail-above: no counter has a count and a limit'];
}

function limitFailure(gauges: readonly Gauge[], failAbove = Number.POSITIVE_INFINITY): LimitError | undefined {
  const [first, ...others] = gauges.filter(({ count, limit }) => count * 100 > limit * failAbove);
  if (!first) return undefined;
  return new LimitError(`${sentence(first)}, above ${failAbove} %`, { details: others.map(sentence) });
}

/** Draws one line per counter in place of a line for each of its numbers. */
function blockColumns(columns: readonly Column[], gauges: readonly Gauge[], streams: Streams): Column[] {
  const drawn = gauges.map(
    (gauge): Column => ({ name: `counters.${gauge.name}`, title: gauge.name, show: () => gaugeText(gauge, streams) }),
  );
  const covered = new Set(gauges.flatMap(({ name }) => [`counters.${name}.count`, `counters.${name}.limit`]));
  const others = columns.filter(({ name }) => !covered.has(name));
  return [...others.map((column) => ({ ...column, title: column.name.replace(/^counters\./, '') })), ...drawn];
}

/** `[████      ]  40 %, 400 of 1,000`; a narrow terminal has no room for the bar. */
function gaugeText(gauge: Gauge, streams: Streams): string {
  const { count, limit } = gauge;
  const text = `${percentText(gauge)}, ${grouped(count)} of ${grouped(limit)}`;
  if (streams.terminal && streams.width() < 80) return text;
  const length = 20;
  const filled = Math.min(length, Math.floor((count * length) / limit));
  return `[${streams.glyphs.bar.repeat(filled)}${' '.repeat(length - filled)}]  ${text}`;
}

function flatten(record: Row, prefix = ''): Row {
  const entries = Object.entries(record).flatMap(([name, value]) =>
    isObject(value) ? Object.entries(flatten(value, `${prefix}${name}.`)) : [[`${prefix}${name}`, value] as const],
  );
  return Object.fromEntries(entries);
}

function percent(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text.replace(/ ?%$/, '')) ? Number.parseFloat(text) : Number.NaN;
  if (number <= 1e9) return number;
  throw new InvalidArgumentError(`expected a percentage such as 80, got ${JSON.stringify(text)}`);
}
