import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { longUrlFault } from '../input/field-values.ts';
import { withParameter } from '../link/rules/query-parameters.ts';
import { utmParameters } from '../link/rules/utm.ts';

/** Throws a UsageError, also if a URL would become invalid. */
export function withUtm(longUrls: readonly string[], utm: string): string[] {
  const parameters = utmParameters(utm);
  return longUrls.map((longUrl) => {
    const result = parameters.reduce(withParameter, longUrl);
    const fault = longUrlFault(result);
    if (fault !== undefined) throw new UsageError(`--utm: with it, ${quoted(longUrl)} ${fault}`);
    return result;
  });
}
