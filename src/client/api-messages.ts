import { CliError, type FailureKind } from '../base/errors.ts';
import { flagText, shellWord } from '../base/quoted.ts';
import { type ErrorCode, errors, isErrorCode } from '../contract/errors.ts';
import type { ErrorRecord } from '../contract/records.ts';
import { linksCommand } from './link-commands.ts';
import { type Absence, type Identity, noShortUrl, type Subject } from './subject.ts';

export interface ApiMessage {
  readonly kind: FailureKind;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Undocumented codes keep their number and the server's message. */
export function apiMessage({ code, message = '' }: ErrorRecord, subject: Subject): ApiMessage {
  if (!isErrorCode(code) || code === 0)
    return { kind: 'failed', message: `service error ${code}: ${message || 'without a message'}` };
  if (subject.path === '/account' && misplaced.has(code)) return { kind: 'local', ...noApi(subject) };
  return { kind: errors[code].kind, ...messages[code](subject) };
}

/** `GET /account` has no parameters, so these codes are about another call. */
const misplaced: ReadonlySet<number> = new Set([1301, 1302, 1305, 1306]);

/** Shows the server's own message below ours. */
export function serverMessages({ code, message, details }: ErrorRecord): string[] {
  const words = [isErrorCode(code) ? message : '', details].filter((text) => typeof text === 'string' && text !== '');
  return [...new Set(words)].map((text) => `server message: ${text}`);
}

/** One item can fail inside a batch that succeeded (4.3.1). */
export function itemError(error: ErrorRecord, subject: Subject): CliError {
  const { kind, message, hint } = apiMessage(error, subject);
  return new CliError(kind, message, { hint, apiCode: error.code, details: serverMessages(error) });
}

/** Proxies answer 401 and 403 without an API code. */
export function refusedCredentials({ identity }: Subject, status: number): ApiMessage {
  return {
    kind: 'auth',
    message: `the server rejected the credentials${accountSuffix(identity)} (HTTP ${status})`,
    hint: keyHint(identity),
  };
}

/** The code 1220 does not tell which of the two limits is used up. */
export const linksUsedUpHint =
  'to see which limit: linkctl account; if month_urls is used up, run the same command again next month (UTC), otherwise delete links or raise the limit';

/** One call then has fewer items. */
export const smallerBatches = 'to send fewer items per call: linkctl config set batch_size 100';

/** Returns a kind only if it depends on the subject; the default is in `contract/errors.ts`. */
type Sentence = (subject: Subject) => Omit<ApiMessage, 'kind'> & Partial<ApiMessage>;

const messages: { readonly [code in Exclude<ErrorCode, 0>]: Sentence } = {
  101: ({ identity }) => ({
    message: `${serverName(identity)} failed without giving a reason`,
    hint: 'try again later; -v shows each request',
  }),
  1102: ({ identity }) => ({
    message: `the server rejected the username "${identity.username}"${usernameSuffix(identity)}`,
    hint: loginHint(identity),
  }),
  1204: ({ hash }) => ({
    message: `${named('hash', hash)} is not valid`,
    hint: 'a hash contains letters, digits, _ and -; to see your hashes: linkctl list',
  }),
  1206: ({ longUrl }) => ({
    message: `${named('URL', longUrl)} is not accepted as a destination`,
    hint: 'use a full URL with its scheme, such as https://example.com/',
  }),
  1215: ({ hash, domain }) => ({
    message: `${named('hash', hash)} is already in use or not allowed`,
    hint: [
      'choose another hash',
      ...(hash === undefined ? [] : [`to see the existing link: ${linksCommand([{ hash, domain }])}`]),
    ].join('; '),
  }),
  1216: ({ longUrl, identity }) => ({
    message: `${serverName(identity)} does not allow links to ${named('URL', longUrl)}`,
    hint: 'a short URL cannot lead to a domain of the account; about other destinations, ask the operator of the server',
  }),
  1217: ({ identity }) => ({
    message: `the account "${identity.username}"${usernameSuffix(identity)} is inactive or expired`,
    hint: `renew it in the web interface of ${identity.host}`,
  }),
  1218: ({ hash }) => ({
    message: `${named('short URL', hash)} is not correct`,
    hint: 'a hash contains letters, digits, _ and -; to see your hashes: linkctl list',
  }),
  1219: ({ identity }) => ({
    message: `${serverName(identity)} does not accept this request at the moment`,
    hint: 'run the same command again later, or increase --max-wait',
  }),
  1220: ({ identity: { username } }) => ({
    message: `the account "${username}" has reached its maximum number of links, in total or this month`,
    hint: linksUsedUpHint,
  }),
  1221: () => ({
    message: 'the request has too many items for this server',
    hint: smallerBatches,
  }),
  1300: ({ identity }) => ({
    message: `the server rejected the API key${accountSuffix(identity)}`,
    hint: keyHint(identity),
  }),
  1301: noResource,
  1302: (subject) => ({
    message: `the server does not support ${subject.method} ${subject.path}`,
    hint: overridable.has(subject.method)
      ? 'if a proxy blocks the method: linkctl config set method_override true'
      : noResource(subject).hint,
  }),
  1303: ({ identity: { username } }) => ({
    message: `the account "${username}" has used all its API calls for today`,
    hint: 'run the same command again after midnight UTC',
  }),
  1305: ({ expression, order }) => {
    const chosen = [
      ...(expression === undefined ? [] : [`the tag expression ${expression}`]),
      ...(order === undefined ? [] : [`the order "${order}"`]),
    ];
    // The user chose these values and can correct them.
    if (chosen.length > 0) {
      return {
        kind: 'rejected',
        message: `${chosen.join(' or ')} is not valid on this server`,
        hint: expression === undefined ? orderHint(order) : 'linkctl help tags',
      };
    }
    return {
      message: 'the server rejected the request: a parameter is missing',
      hint: 'run the command with --debug to see the request',
    };
  },
  1306: (subject) => (namesLinks(subject) ? noShortUrl(subject) : { kind: 'local', ...noResource(subject) }),
  1307: () => ({
    message: 'the server rejected the request: wrong number of parameters',
    hint: 'run the command with --debug to see the request',
  }),
  1308: ({ identity }) => ({
    message: `the backend of ${serverName(identity)} failed`,
    hint: 'run the same command again',
  }),
  1309: noTag,
  1310: ({ hash, longUrl, label, newLabel = label }) => {
    const parts = Object.entries({ 'short URL': hash, URL: longUrl, 'tag label': newLabel });
    const [only] = parts.flatMap(([kind, name]) => (name === undefined ? [] : [named(kind, name)]));
    if (only === undefined) return { message: 'the request is too large for this server', hint: smallerBatches };
    return { message: `the request for ${only} is too large for this server`, hint: 'use shorter values, or fewer tags' };
  },
  1311: refusedLabel,
  1312: ({ date }) => ({
    message: `${named('date', date)} is not accepted`,
    hint: 'use a future date as YYYY-MM-DD',
  }),
  1313: ({ domain, hash, identity: { domain: working } }) => {
    if (domain === undefined) return { message: 'no such domain on this account', hint: 'linkctl domains' };
    const message = `no domain "${domain}" on this account`;
    if (working?.name === domain) return { message: `${message} (from ${working.source})`, hint: 'linkctl domains' };
    // A long URL was given in the place of a short one.
    const search =
      hash === undefined ? '' : `; to find links by destination: linkctl list --search ${shellWord(`${domain}/${hash}`)}`;
    return { message, hint: `linkctl domains${search}` };
  },
  1314: () => ({
    message: 'the webhook parameter is not accepted',
    hint: 'run the command with --debug to see the request',
  }),
};

const overridable: ReadonlySet<string> = new Set(['PATCH', 'DELETE']);

function orderHint(order: string | undefined): string {
  // The field has another name than the order.
  return order === 'total_clicks' ? 'linkctl list --order-by clicks' : 'for the known orders: linkctl list --help';
}

function named(kind: string, name: string | undefined): string {
  return name === undefined ? `a ${kind}` : `the ${kind} "${name}"`;
}

/** The sandbox has no address that a user knows. */
function serverName({ host, server, baseUrl }: Identity): string {
  return server === baseUrl ? host : 'the sandbox';
}

function accountSuffix({ profile, keySource }: Identity): string {
  return profile === undefined ? ` from ${keySource}` : ` of profile "${profile}" (from ${keySource})`;
}

function usernameSuffix(identity: Identity): string {
  if (identity.profile !== undefined) return accountSuffix(identity);
  return identity.usernameSource === undefined ? '' : ` from ${identity.usernameSource}`;
}

function loginHint({ profile, keySource }: Identity): string {
  return profile === undefined
    ? `check the username, and the API key from ${keySource}`
    : `linkctl auth login --profile ${profile}`;
}

/** A login with another key would replace the command. */
function keyHint(identity: Identity): string {
  const { profile, keySource } = identity;
  return profile === undefined || keySource !== 'api_key_command'
    ? loginHint(identity)
    : `check what api_key_command prints: linkctl config get api_key_command --profile ${profile}`;
}

export function noTag({ label }: Pick<Subject, 'label'>): Absence {
  return { message: label === undefined ? 'no such tag' : `no tag "${label}"`, hint: 'linkctl tags' };
}

export function refusedLabel({ label, newLabel = label }: Pick<Subject, 'label' | 'newLabel'>): Absence {
  return {
    message: `${named('tag label', newLabel)} is not valid or already exists`,
    hint: `linkctl tags${joining(label, newLabel)}`,
  };
}

/** Renaming a tag to the label of another is often meant as a merge. */
function joining(label: string | undefined, newLabel: string | undefined): string {
  if (label === undefined || newLabel === undefined || label === newLabel) return '';
  return `; to join the two tags: linkctl tags merge ${shellWord(label)} ${flagText('--into', newLabel)}`;
}

/** The account is on every server (4.2), so the base URL is wrong. */
export function noApi({ identity }: Pick<Subject, 'identity'>): Absence {
  return {
    message: `the API is not at ${identity.baseUrl}`,
    hint: 'check the base URL and its path, such as https://s.example/tiny/api/3',
  };
}

function noResource({ path, identity: { baseUrl } }: Pick<Subject, 'path' | 'identity'>): Absence {
  return {
    message: `the server has no resource ${path}`,
    hint: `check the base URL ${baseUrl} and the edition: linkctl config list`,
  };
}

/** A call that names no links cannot miss one: another call answers at this base URL. */
function namesLinks({ method, path, hash, hashes, expression }: Subject): boolean {
  return method !== 'GET' || path.lastIndexOf('/') > 0 || [hash, hashes, expression].some((name) => name !== undefined);
}
