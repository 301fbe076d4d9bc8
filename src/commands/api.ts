import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { recordCall } from '../bulk/recorded-call.ts';
import { environmentOf } from '../change/environment.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { CallError } from '../client/call-error.ts';
import type { Client, RawAnswer } from '../client/client.ts';
import { repeated } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { dryRunReport } from '../output/planned-requests.ts';
import type { Report } from '../output/report.ts';
import { ignoresDomain } from '../select/selection-flags.ts';
import { addedDomain, calledLinks, refuseUncounted } from './api/called-links.ts';

export function register(command: Command, run: Runner): void {
  command
    .argument('<method>', 'GET, POST, PATCH or DELETE')
    .argument('<path>', 'path below the base URL, such as /urls/abc')
    .option('--query <name=value>', 'query parameter; repeatable', repeated)
    .option('--body <json>', 'request body; @file reads a file, - reads stdin')
    .action(run(api));
  describe(command, {
    examples: [
      'linkctl api GET /account',
      "linkctl api GET /urls --query limit=2 --query 'search=nodejs.org'",
      `linkctl api POST /tags --body '{"label":"promo"}'`,
    ],
    notes: [
      'Calls on links use --domain or the domain of the profile, as other commands do; --query domain=<name> overrides the profile. --max-affected works only for calls that name their links.',
      'The response is printed unchanged, regardless of the output format. Errors of the response or of its items set the exit code.',
    ],
    fields: [],
    globals: ['--domain', '--dry-run', '--max-affected', '--verbose', '--debug'],
  });
}

async function api(
  { query = [], body }: { query?: readonly string[]; body?: string },
  invocation: Invocation,
  [method = '', path = '']: string[],
): Promise<Report> {
  const upper = method.toUpperCase();
  if (!methods.includes(upper))
    throw new UsageError(`method: expected one of {${methods.join('|')}}, got ${JSON.stringify(method)}`);
  if (!path.startsWith('/')) throw new UsageError(`path: expected to start with /, got ${JSON.stringify(path)}`);
  const pairs = query.map(readPair);
  const session = await openSession(invocation);
  const called = calledLinks({ method: upper, path, query: pairs }, session.edition);
  const domain = addedDomain(called, session);
  if (called.selectsByTags && session.domain !== undefined) await session.warn(ignoresDomain(session.domain));
  const request = {
    method: upper,
    path,
    query: domain === undefined ? pairs : [...pairs, ['domain', domain] as const],
    ...(body === undefined ? {} : { body: await readBody(body, invocation) }),
  };
  const { dryRun, maxAffected } = invocation.global;
  if (maxAffected !== undefined && upper !== 'GET') refuseUncounted(called, parsed(request.body), session);
  if (dryRun && upper !== 'GET') {
    return dryRunReport([{ method: upper, path, query: Object.fromEntries(request.query), body: parsed(request.body) }]);
  }
  const place = domain === undefined ? '' : ` --domain ${domain}`;
  const { body: answer, failure } = await send(request, `api ${upper} ${path}${place}`, session);
  return {
    kind: 'text',
    text: answer === '' || answer.endsWith('\n') ? answer : `${answer}\n`,
    outcome: () => failure,
    // What a raw call changes is unknown, except that one that failed as a whole changed nothing.
    ...(upper !== 'GET' && {
      abandoned: () => (failure?.kind === 'partial' ? undefined : failure),
      unwritten: () => [`sent: ${upper} ${path}`],
    }),
  };
}

/** The changes of a raw call are unknown, so it is recorded and `undo` stops at it. */
async function send(request: Parameters<Client['sendRaw']>[0], what: string, session: Session): Promise<RawAnswer> {
  const { client, profile } = session;
  if (request.method === 'GET') return await client.sendRaw(request);
  const isRefused = ({ failure }: RawAnswer): boolean => failure instanceof CallError && failure.outcome !== 'ambiguous';
  return await recordCall({ what, profile }, environmentOf(session), () => client.sendRaw(request), isRefused);
}

/** Returns text that is not JSON, or that nests too deeply to be printed as JSON, as it is. The call itself always sends the text as typed. */
function parsed(text: string | undefined): unknown {
  try {
    const body = text === undefined ? undefined : JSON.parse(text);
    JSON.stringify(body);
    return body;
  } catch {
    return text;
  }
}

const methods = ['GET', 'POST', 'PATCH', 'DELETE'];

function readPair(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--query: expected name=value, got ${JSON.stringify(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Throws a UsageError for bytes that are not text. UTF-8 is sent byte by byte, with any mark or line end. */
async function readBody(text: string, { system, announceInput }: Invocation): Promise<string> {
  if (text !== '-' && !text.startsWith('@')) return text;
  if (text === '-') await announceInput('the body');
  const name = text === '-' ? 'stdin' : text.slice(1);
  const bytes = text === '-' ? await buffer(system.stdin) : await bytesOf(name);
  if (isUtf8(bytes)) return bytes.toString();
  const { utf8Text } = await import('../input/encoding.ts');
  return (await buffer(utf8Text(Readable.from([bytes]), name))).toString();
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw (await import('../input/source.ts')).unreadable(path, error);
  }
}
