import { UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import type { Parameter } from './query-parameters.ts';

export const utmNames = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

export type UtmName = (typeof utmNames)[number];

/** `source=newsletter,medium=email` sets `utm_source` and `utm_medium`. Throws a UsageError. */
export function utmParameters(text: string): Parameter[] {
  const parameters = text.split(',').map((part): Parameter => {
    const [, name = '', value = ''] = /^([^=]*)=(.+)$/s.exec(part.trim()) ?? [];
    if (value === '') throw new UsageError(`--utm: expected name=value, got ${quoted(part)}; a comma in a value is %2C`);
    const known = utmNames.find((candidate) => candidate === `utm_${name}`);
    if (known) return { name: known, value };
    const names = utmNames.map((candidate) => candidate.slice('utm_'.length));
    throw new UsageError(`--utm: unknown name ${quoted(name)}; expected one of ${names.join(', ')}`);
  });
  const repeated = parameters.find(({ name }, index) => parameters.findIndex((other) => other.name === name) < index);
  if (repeated) throw new UsageError(`--utm: ${repeated.name.slice('utm_'.length)} is given twice`);
  return parameters;
}
