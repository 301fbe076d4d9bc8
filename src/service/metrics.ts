import { type Exchange, type Subject, visitOutcomes } from './message.ts';

/** Metrics since the start of the service. */
export interface Metrics {
  count(exchange: Exchange): void;
  /** Counts a failure of the store or another unexpected error. */
  countFailure(): void;
  /** The text format of Prometheus, version 0.0.4. */
  text(clicksWaiting: number): string;
}

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export function startMetrics(): Metrics {
  // All outcomes start at 0 because a rate needs a value before the first event.
  const visits = new Map<string, number>(visitOutcomes.map((outcome) => [`outcome="${outcome}"`, 0]));
  const calls = new Map<string, number>();
  const visitTimes = histogram();
  const callTimes = new Map<string, Histogram>();
  let failures = 0;
  const countCall = ({ operation, code }: Extract<Subject, { kind: 'call' }>, seconds: number): void => {
    const label = `operation="${operation ?? 'none'}"`;
    add(calls, `${label},code="${code}"`);
    const times = callTimes.get(label) ?? histogram();
    callTimes.set(label, times);
    times.add(seconds);
  };
  return {
    count({ response: { subject }, milliseconds }) {
      const seconds = milliseconds / 1000;
      if (subject?.kind === 'call') countCall(subject, seconds);
      if (subject?.kind !== 'visit') return;
      add(visits, `outcome="${subject.outcome}"`);
      visitTimes.add(seconds);
    },
    countFailure() {
      failures += 1;
    },
    text: (clicksWaiting) =>
      [
        ...family('linkctl_redirects_total', 'counter', 'Visits to short URLs by outcome.', counted(visits)),
        ...family('linkctl_redirect_duration_seconds', 'histogram', 'Time to answer a visit.', visitTimes.samples('')),
        ...family('linkctl_api_calls_total', 'counter', 'API calls by operation and error code; 0 is OK.', counted(calls)),
        ...family(
          'linkctl_api_call_duration_seconds',
          'histogram',
          'Time to answer an API call.',
          [...callTimes].flatMap(([label, times]) => times.samples(label)),
        ),
        ...family('linkctl_clicks_waiting', 'gauge', 'Clicks that are still to be stored.', [['', '', clicksWaiting]]),
        ...family('linkctl_store_errors_total', 'counter', 'Failures of the store.', [['', '', failures]]),
      ].join('\n'),
  };
}

function add(counts: Map<string, number>, labels: string): void {
  counts.set(labels, (counts.get(labels) ?? 0) + 1);
}

type Sample = readonly [suffix: string, labels: string, value: number];

function counted(counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([labels, value]) => ['', labels, value]);
}

/** Labels are our own words and numbers and need no escaping. */
function family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string, samples: readonly Sample[]): string[] {
  const lines = samples.map(([suffix, labels, value]) => `${name}${suffix}${labels && `{${labels}}`} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

interface Histogram {
  add(seconds: number): void;
  samples(labels: string): Sample[];
}

/** In seconds. Redirects take less than the second bound, pages of a million links up to 0.1 s. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

function histogram(): Histogram {
  const counts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    add(seconds) {
      count += 1;
      sum += seconds;
      const place = bounds.findIndex((bound) => seconds <= bound);
      if (place >= 0) counts[place] = (counts[place] ?? 0) + 1;
    },
    samples(labels) {
      const within = (bound: string): string => `${labels && `${labels},`}le="${bound}"`;
      let below = 0;
      const buckets = bounds.map((bound, place): Sample => {
        below += counts[place] ?? 0;
        return ['_bucket', within(String(bound)), below];
      });
      return [...buckets, ['_bucket', within('+Inf'), count], ['_sum', labels, sum], ['_count', labels, count]];
    },
  };
}
