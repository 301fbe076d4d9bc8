import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { flagText, quoted } from '../base/quoted.ts';
import { flagValue, longUrlFault } from '../input/field-values.ts';
import { withParameter } from '../link/rules/query-parameters.ts';
import type { UrlRule } from '../link/rules/url-change.ts';
import { hostRule, httpsRule, parameterRule, patternRule, prefixRule, removalRule, utmRules } from '../link/rules/url-rules.ts';
import { utmParameters } from '../link/rules/utm.ts';
import { missingInput } from './missing-input.ts';
import { choice, once, repeated } from './values.ts';

/** As typed. */
export interface RuleOptions {
  readonly scheme?: 'https';
  readonly host?: string;
  readonly setParam?: readonly string[];
  readonly removeParam?: readonly string[];
  readonly utm?: string;
  readonly regex?: string;
  readonly to?: string;
}

export function addRuleFlags(command: Command): void {
  command
    .argument('[from]', 'prefix of the long URLs to rewrite')
    .argument('[to]', 'new prefix')
    .argument('[hash...]', 'hashes or short URLs; without <from> <to> too')
    .option('--scheme <scheme>', 'replace http by https', choice(['https']))
    .option('--host <old=new>', 'replace one host by another', once)
    .option('--set-param <name=value>', 'set a query parameter; repeatable', repeated)
    .option('--remove-param <name>', 'remove a query parameter, or all of utm_*; repeatable', repeated)
    .option('--utm <list>', 'set UTM parameters: source=newsletter,medium=email,campaign=spring', once)
    .option('--regex <pattern>', 'replace the first match of a regular expression by --to', once)
    .option('--to <text>', 'replacement for --regex; $1 and $<name> are groups, $$ is $', once);
}

/**
 * Returns `<from> <to>`, and the links that the other operands name. Beside other rules, a first operand that is no URL is a hash, and
 * `maybeShort` is one that may be a long or a short URL.
 */
export function splitOperands(operands: readonly string[], { scheme, host, setParam, removeParam, utm, regex }: RuleOptions) {
  const hasRule = [scheme, host, setParam, removeParam, utm, regex].some((value) => value !== undefined);
  const [first = ''] = operands;
  const prefixes = hasRule && !/^https?:/i.test(first) ? 0 : 2;
  const maybeShort = hasRule && prefixes > 0 ? first : undefined;
  return { prefixes: operands.slice(0, prefixes), hashes: operands.slice(prefixes), maybeShort };
}

/** Returns the rules in the order of the flags. `now` is in milliseconds. Throws a UsageError, also if there is no rule. */
export function readRules([from, to]: readonly string[], options: RuleOptions, now: number): UrlRule[] {
  const { scheme, host, setParam = [], removeParam = [], utm, regex } = options;
  // Read before the operands, which may be the rest of a value: `--host old new`.
  const ofFlags = [
    ...(scheme ? [httpsRule] : []),
    ...(host !== undefined ? [hostRule(host)] : []),
    ...setParam.map(parameterRule),
    ...removeParam.map(removalRule),
    ...(utm !== undefined ? utmRules(utm) : []),
    ...patternRules(regex, options.to),
  ];
  const rules = [...operandRules(from, to, now), ...ofFlags];
  if (rules.length > 0) return rules;
  const usage = '<from> <to> | --scheme https | --host <old=new> | --set-param <name=value> | ...';
  throw missingInput("argument 'from'", { ...missing, usage });
}

const missing = { command: 'rewrite', usage: '<from> <to>', example: 'https://old.example https://new.example' };

function operandRules(from: string | undefined, to: string | undefined, now: number): UrlRule[] {
  if (from === undefined) return [];
  if (to === undefined) throw missingInput("argument 'to'", missing);
  return [prefixRule(flagValue('long_url', '<from>', from, now), flagValue('long_url', '<to>', to, now))];
}

function patternRules(regex: string | undefined, to: string | undefined): UrlRule[] {
  if ((regex === undefined) !== (to === undefined))
    throw new UsageError(regex === undefined ? '--to requires --regex' : '--regex requires --to');
  return regex === undefined || to === undefined ? [] : [patternRule(regex, to)];
}

/** For people: `https://old.example -> https://new.example, --scheme https`. */
export function rulesText([from, to]: readonly string[], options: RuleOptions): string {
  const { scheme, host, setParam = [], removeParam = [], utm, regex, to: replacement } = options;
  const flags = { '--scheme': scheme, '--host': host, '--utm': utm, '--regex': regex, '--to': replacement };
  return [
    ...(from !== undefined ? [`${from} -> ${to}`] : []),
    ...setParam.map((text) => flagText('--set-param', text)),
    ...removeParam.map((text) => flagText('--remove-param', text)),
    ...Object.entries(flags).flatMap(([flag, text]) => (text === undefined ? [] : [flagText(flag, text)])),
  ].join(' ');
}

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
