import { UsageError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { folders, type Signal, type System } from '../base/system.ts';
import type { Client } from '../client/client.ts';
import { type Format, isJson } from '../contract/formats.ts';
import { enumerated, type LinkDomains } from '../contract/link.ts';
import { foldLabel, hasOperators, labelExpression } from '../contract/tag-label.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import type { Source } from '../input/source.ts';
import type { Report } from '../output/report.ts';
import type { Streams } from '../output/streams.ts';
import { startDeadline } from './deadline.ts';
import { type Account, connect, openSession, type Session, type SessionHooks } from './session.ts';
import { watchSignals } from './signals.ts';

/** What a command works with besides its own flags and operands. */
export interface Context {
  readonly system: System;
  readonly global: GlobalOptions;
  readonly streams: Streams;
  /** stdin is the input of the command: who answers a question types on the terminal itself (B56). */
  readonly stdinIsInput?: boolean;
  /** Whom we talk to, opened when first asked for and closed when the command ends. */
  session(): Promise<Session>;
  /** A client for an account that is not stored yet; whoever asks closes it. */
  connect(account: Account): Promise<Client>;
  /** The format in force; to be asked for when the session is open. */
  format(): Format;
  /** Prints before the command is over, for one that then goes on: `serve`. */
  print(report: Report): Promise<void>;
  /** A line for people on stderr that `-q` does not silence; the same one is told once. */
  warn(text: string): Promise<void>;
  /** A line for people on stderr, not with `-q`. */
  note(text: string): Promise<void>;
  /** From now on the command itself hears of signals; they no longer end it at once (R-18). Answers with what gives them back. */
  listenForSignals(listener: (signal: Signal) => void): () => void;
  /** The program dies of this signal, as the shell expects, when everything is told (B41). */
  dieOf(signal: Signal): void;
  /** What is to be cleared away when the command ends, however it ends. */
  atEnd(task: () => Promise<void>): void;
  /** Aborted when `--max-time` is over; the reason is the failure to end with. Calls end with it, unless the command hears signals. */
  readonly deadline: AbortSignal;
}

/** A context of a command that is under way. */
export interface OpenContext extends Context {
  /** Ends the work when its time is over. */
  hold(work: Promise<void>): Promise<void>;
  /** Clears everything away, also what comes after something that cannot be; then throws the first failure (D42). */
  close(): Promise<void>;
}

export function createContext(
  global: GlobalOptions,
  system: System,
  streams: Streams,
  { print, opened, dieOf, format }: Pick<Context, 'print' | 'dieOf' | 'format'> & { opened(session: Session): void },
): OpenContext {
  let session: Promise<Session> | undefined;
  const tasks: (() => Promise<void>)[] = [];
  const watch = watchSignals(system, streams);
  const deadline = startDeadline(global.maxTime, system);
  const reported = new Set<string>();
  const warn = async (text: string): Promise<void> => {
    if (reported.size < reported.add(text).size) await streams.tell(text, 'warning: ');
  };
  const trace = (text: string) => streams.tell(text);
  const note = async (text: string) => (global.quiet ? undefined : streams.tell(text));
  const hooks: SessionHooks = {
    system,
    warn,
    note,
    trace,
    redactWith: streams.redactWith,
    terminal: () => streams.watched,
    deadline,
  };
  const open = async (): Promise<Session> => {
    const one = await openSession(global, hooks);
    opened(one);
    return one;
  };
  return {
    system,
    global,
    streams,
    print,
    warn,
    note,
    listenForSignals: watch.listen,
    dieOf,
    format,
    atEnd: (task) => void tasks.push(task),
    deadline: deadline.signal,
    hold: (work) => deadline.hold(work, watch.isListening),
    connect: async (account) => connect(account, global, hooks),
    session() {
      session ??= open();
      return session;
    },
    async close() {
      watch.end();
      deadline.release();
      tasks.push(async () => (await session?.catch(() => undefined))?.close());
      const ends: PromiseSettledResult<void>[] = [];
      for (const task of tasks) ends.push(...(await Promise.allSettled([task()])));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  };
}

/** Opens what `-` or a path names (B39, B42) until the command ends; `things` are what it holds: `URLs`. */
export async function openInput(operand: string, things: string, { system, streams, atEnd }: Context): Promise<Source> {
  const { openSource } = await import('../input/source.ts');
  const source = await openSource(operand, {
    system,
    folder: folders(system).state,
    onTerminal: () => void streams.tell(`reading ${things} from the terminal; end with Ctrl-D`),
  });
  atEnd(async () => source.discard());
  return source;
}

/**
 * What must be said before a tag expression is used. Tag selections act on all domains and the server ignores `domain` (4.1.7): one
 * that was named is refused, never ignored. An expression that is also the label of a tag selects something else than that tag (W4).
 */
export async function checkTagExpression(expression: string, session: Session, context: Context): Promise<void> {
  await refuseDomain(session, context);
  if (!hasOperators(expression)) return;
  const { tags } = await session.client.send('listTags', {});
  const tag = tags.find(({ label }) => foldLabel(label) === foldLabel(expression));
  if (!tag) return;
  await context.warn(
    `--by-tags ${shellWord(expression)} is read as an expression, although a tag has this label; for the tag: --by-tags ${shellWord(labelExpression(tag.label))}`,
  );
}

async function refuseDomain(session: Session, { warn }: Context): Promise<void> {
  if (session.domainNamed) {
    throw new UsageError(
      'specify only one of --domain or --by-tags: tag selections act on all domains, the server ignores domain',
    );
  }
  if (session.domain !== undefined) await warn(`tag selections act on all domains, not on ${session.domain} alone`);
}

/**
 * Whose links a question is about (B58): `profile "work" on api.example.com, domain s.ex`. The domains are those that the links
 * name; the working one is where they name none.
 */
export function whereabouts(
  { client: { identity }, domain }: Pick<Session, 'client' | 'domain'>,
  domains: LinkDomains = [undefined],
): string {
  const { profile, username, host } = identity;
  const account = profile === undefined ? `account "${username}"` : `profile "${profile}"`;
  const names = [...new Set(domains.map((name) => name ?? domain))].filter((name) => name !== undefined);
  if (names.length < 2) return `${account} on ${host}${names.map((name) => `, domain ${name}`).join('')}`;
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  return `${account} on ${host}, domains ${enumerated(shown, 'and', shown.length)}`;
}

/** Whether rows are shown with the fields that the command chooses: not `--fields`, and no JSON, which holds them all. */
export function showsDefaultFields({ global, format }: Context): boolean {
  return global.fields === undefined && !isJson(format());
}
