import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, Agent as PlainAgent, request as plainRequest, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { end, reset, type WholeAnswer } from './faulty-endings.ts';
import type { CannedAnswer, Step } from './faulty-steps.ts';
import { createHabits, type Habits, type HabitsName } from './habits.ts';
import { type LaggingCopy, openLaggingCopy } from './lagging-copy.ts';
import { type Ask, type Manners, type Memory, mannered, type Passed } from './manners.ts';
import { createMoment, type Moment } from './moment.ts';
import { withText } from './readings.ts';
import { seededRandom, shuffled } from './seeded-random.ts';
import { until } from './until.ts';

/**
 * An HTTP server that misbehaves as told (R 3.5.1), alone or in front of a real service:
 *
 *     await using server = await startFaultyServer({ backend: service.baseUrl, username, apiKey });
 *     await server.script([faults.dropAfter, { ...faults.tooMany('2'), only: { method: 'POST' } }]);
 *     … run the client against server.baseUrl …
 *     expect(await server.requests()).toHaveLength(3);
 *
 * Each request takes the first step of the script that is for it; without one it passes to the backend, or gets 200 and an
 * envelope that says OK. `chance` adds faults at random, `spells` for a while in the middle, and `Manners` say how the server shows
 * its account all the time. `startFaultyProcess` (faulty-process.ts) is the same in another process.
 */
export async function startFaultyServer(options: FaultyOptions = {}): Promise<FaultyServer> {
  const { habits, backend } = options;
  const agent = new PlainAgent({ keepAlive: true });
  const root = typeof backend === 'string' ? new URL(backend).pathname : '/api/3';
  const state: State = {
    options,
    habits: typeof habits === 'string' ? createHabits(habits) : habits,
    backend: typeof backend === 'string' ? forwardTo(new URL(backend), agent) : backend,
    agent,
    steps: [],
    log: [],
    random: seededRandom(options.seed ?? 1),
    sockets: new Map(),
    met: new Map(),
    manners: options,
    memory: { hashes: new Map() },
    copy: undefined,
    held: [],
    late: [],
    connected: new Set(),
    working: 0,
    belated: 0,
    isClosed: false,
    vanish: () => {},
  };
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    state.working += 1;
    handle(state, request, response)
      .catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      })
      .finally(() => {
        state.working -= 1;
      });
  };
  const server = options.tls
    ? createSecureServer({ ...options.tls, maxHeaderSize: 65_536 }, handler)
    : createServer({ maxHeaderSize: 65_536 }, handler);
  server.keepAliveTimeout = options.keepAlive ?? 5000;
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    state.sockets.set(socket, state.sockets.size + 1);
    state.connected.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => state.connected.delete(socket));
    if (state.steps[0]?.end === 'accept') {
      take(state, 0);
      reset(socket);
    }
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const comeBack = (): void => {
    if (!state.isClosed && !server.listening) server.listen(port, '127.0.0.1');
  };
  state.vanish = (milliseconds) => {
    server.close(() => setTimeout(comeBack, milliseconds));
  };
  const origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    state.isClosed = true;
    for (const { moment } of state.held) moment.leave();
    await forgetCopy(state);
    state.agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    origin,
    baseUrl: origin + root,
    sideDoor: origin + sideDoor + root,
    behave: async (manners) => {
      await forgetCopy(state);
      state.manners = manners;
    },
    script: async (steps) => {
      state.steps = steps.map((step) => ({ ...step }));
      comeBack();
    },
    requests: async () => [...state.log],
    held: async (count = 1) =>
      await until(() => state.held.length >= count, `${count} answers are held, and ${state.held.length} are`),
    release: async (count) => await release(state, count),
    catchUp: async () => await (await state.copy)?.catchUp(),
    settled: async ({ late = false } = {}) => {
      await knock(origin);
      const isOver = (): boolean => state.connected.size + state.working + (late ? state.belated : 0) === 0;
      await until(isOver, () => `${state.connected.size} connections and ${state.working} requests end`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export interface FaultyServer {
  /** With the path of the backend's API root, or `/api/3`. */
  readonly baseUrl: string;
  readonly origin: string;
  /** The API's root for somebody else: nothing goes wrong there and nothing is logged, and a listing that lags knows of it. */
  readonly sideDoor: string;
  /** Replaces the manners. What there is by then is old for a listing that lags. */
  behave(manners: Manners): Promise<void>;
  /** Replaces what is left of the script. A server that is down comes back. */
  script(steps: readonly Step[]): Promise<void>;
  /** What was read, in order. */
  requests(): Promise<LoggedRequest[]>;
  /** Resolves when so many answers, 1 without a number, wait for `release`. */
  held(count?: number): Promise<void>;
  /** Applies what is late, then ends what is held, or so many of it in the order of arrival. */
  release(count?: number): Promise<void>;
  /** A listing that lags without end shows all that there is now. */
  catchUp(): Promise<void>;
  /**
   * After a process has ended, or was killed: resolves when all that it sent is read and done, with `late` also what is done late. The side
   * door does not count.
   */
  settled(options?: { readonly late?: boolean }): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface FaultyOptions extends Manners {
  /** API root of a real service to pass requests to, or the way to one of this process. */
  readonly backend?: string | Ask;
  readonly port?: number;
  /** PEM. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Milliseconds that an idle connection is kept. */
  readonly keepAlive?: number;
  /** Of `chance` and of shuffling. */
  readonly seed?: number;
  /** Where the script has nothing to say: with this probability one of these steps, for the requests they are for. */
  readonly chance?: { readonly rate: number; readonly steps: readonly Step[] };
  /** Where the script has nothing to say. */
  readonly spells?: readonly Spell[];
  /** Milliseconds before the answer to a POST begins, where its step does not say. */
  readonly pause?: number;
  /** Whether the items of every answer to a POST, and to a step without an alteration of its own, come in a random order. */
  readonly shuffles?: boolean;
  /** How values are written, whatever the manners. */
  readonly habits?: Habits | HabitsName | undefined;
  /** Whether the log keeps bodies, and not only their length and hash. True without it. */
  readonly keepBodies?: boolean;
}

/** A quota, a key or a server that fails in mid-run and comes back: `{ from: 4, times: 3, step: faults.refuse(1303) }`. */
export interface Spell {
  /** The first request that meets the step, counted from 1 among those that the step is for. */
  readonly from: number;
  /** How many meet it; all from then on without it. */
  readonly times?: number;
  readonly step: Step;
}

export interface LoggedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
  readonly bodyLength: number;
  /** SHA-256, hex. */
  readonly bodyHash: string;
  /** Connections are counted from 1. */
  readonly connection: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The step that was taken. */
  readonly step: Step;
  /** When the backend had done all of it, in milliseconds since 1970; undefined where it had not, or did it late or in part. */
  applied?: number;
}

interface State {
  readonly options: FaultyOptions;
  readonly habits: Habits | undefined;
  readonly backend: Ask | undefined;
  readonly agent: PlainAgent;
  steps: Step[];
  readonly log: LoggedRequest[];
  readonly random: () => number;
  readonly sockets: Map<Socket, number>;
  /** How many requests each spell was for. */
  readonly met: Map<Spell, number>;
  manners: Manners;
  readonly memory: Memory;
  /** Of a listing that lags, from the first request on. */
  copy: Promise<LaggingCopy> | undefined;
  /** Exchanges that wait for `release`. */
  held: { readonly moment: Moment; readonly place: number }[];
  /** What is done by `release`. */
  late: (() => Promise<unknown>)[];
  /** But for those of the side door. */
  readonly connected: Set<Socket>;
  /** Requests that are not done. */
  working: number;
  /** Requests that are answered, and done some time later. */
  belated: number;
  isClosed: boolean;
  /** Takes no connection more, lets go of idle ones, and listens again so many milliseconds after the last answer. */
  vanish: (milliseconds: number) => void;
}

const ok = { error: { code: 0, message: '' } };

const sideDoor = '/side-door';
const door = '/door';

/** Connections are accepted in the order in which they came: when this one is answered, there is none of which the server does not know. */
function knock(origin: string): Promise<void> {
  return new Promise((resolve) => {
    const knocking = plainRequest(origin + door, { agent: false }, (response) => response.resume().on('close', () => resolve()));
    // A server that is down accepts nobody.
    knocking.on('error', () => resolve()).end();
  });
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === door) return void response.writeHead(204, { connection: 'close' }).end();
  if (request.url?.startsWith(sideDoor)) {
    state.connected.delete(request.socket);
    return throughSideDoor(state, request, response);
  }
  const step = stepFor(state, request);
  if (step.end === 'early') {
    log(state, request, Buffer.alloc(0), step);
    return end(step, cannedAnswer(step.answer ?? {}), response);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const logged = log(state, request, body, step);
  const place = state.log.length;
  const answer = await answerTo(state, request, body, step);
  if (state.backend && (step.apply ?? true) === true) logged.applied = Date.now();
  const wait = step.delay ?? (request.method === 'POST' ? state.options.pause : undefined);
  if (wait) await delay(wait);
  if (step.held) await hold(state, place);
  const { down } = step;
  if (down !== undefined) {
    // Before the answer: whoever has it and connects again must find nobody.
    response.setHeader('connection', 'close');
    state.vanish(down);
  }
  await end(step, answer, response);
}

function stepFor(state: State, { method, url = '' }: IncomingMessage): Step {
  const isFor = ({ only }: Step): boolean =>
    (!only?.method || only.method === method) && (!only?.path || url.includes(only.path));
  const spell = state.options.spells?.filter(({ step }) => isFor(step)).filter((each) => isIn(each, state.met))[0];
  const scripted = state.steps.findIndex((step) => step.end !== 'accept' && isFor(step));
  if (scripted >= 0) return take(state, scripted);
  if (spell) return spell.step;
  const { rate = 0, steps = [] } = state.options.chance ?? {};
  const possible = steps.filter(isFor);
  if (possible.length === 0 || state.random() >= rate) return {};
  return possible[Math.floor(state.random() * possible.length)] ?? {};
}

/** Whether a request of those that the spell is for meets it; each is counted. */
function isIn(spell: Spell, met: Map<Spell, number>): boolean {
  const nth = (met.get(spell) ?? 0) + 1;
  met.set(spell, nth);
  return nth >= spell.from && nth < spell.from + (spell.times ?? Number.POSITIVE_INFINITY);
}

function take(state: State, position: number): Step {
  const step = state.steps[position] as Step;
  const times = step.times ?? 1;
  if (times === 'all') return step;
  if (times > 1) state.steps[position] = { ...step, times: times - 1 };
  else state.steps.splice(position, 1);
  return step;
}

function log(state: State, { method = '', url = '', headers, socket }: IncomingMessage, body: Buffer, step: Step): LoggedRequest {
  const logged: LoggedRequest = {
    method,
    url,
    headers: { ...headers },
    body: state.options.keepBodies === false ? '' : body.toString(),
    bodyLength: body.length,
    bodyHash: createHash('sha256').update(body).digest('hex'),
    connection: state.sockets.get(socket) ?? 0,
    time: Date.now(),
    step,
  };
  state.log.push(logged);
  return logged;
}

async function answerTo(state: State, request: IncomingMessage, body: Buffer, step: Step): Promise<WholeAnswer> {
  const { backend, random, options, habits } = state;
  const { apply = true } = step;
  const pass = async (asked: Passed): Promise<WholeAnswer> => {
    const answer = await mannered(
      state.manners,
      state.memory,
      habits?.stored(asked) ?? asked,
      (inner) => change(state, inner),
      await listingOf(state, request),
    );
    return habits?.shown(answer) ?? answer;
  };
  const canned = cannedAnswer(step.answer ?? { body: ok });
  const whole = passed(request, body);
  if (!backend || apply === false) return canned;
  if (typeof apply === 'object' && 'late' in apply) {
    if (apply.late === 'release') state.late.push(() => pass(whole));
    else {
      state.belated += 1;
      void delay(apply.late)
        .then(() => pass(whole))
        .catch(() => {})
        .finally(() => {
          state.belated -= 1;
        });
    }
    return canned;
  }
  const real = await pass(apply === true ? whole : firstItems(whole, apply.first));
  if (step.answer) return canned;
  const { alter = options.shuffles && request.method === 'POST' ? 'shuffle' : undefined } = step;
  return altered(real, alter, random);
}

function passed({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Passed {
  return { method, url, headers, body };
}

async function throughSideDoor(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const inner = passed(request, Buffer.concat(chunks));
  await end({}, await change(state, { ...inner, url: inner.url.slice(sideDoor.length) }), response);
}

/** Takes a request to the account itself; a listing that lags hears of it later. */
async function change(state: State, request: Passed): Promise<WholeAnswer> {
  if (!state.backend) throw new Error('there is no account behind this server');
  const answer = await state.backend(request);
  if (request.method !== 'GET') (await state.copy)?.follow(request, answer);
  return answer;
}

/** What listings are read from. */
async function listingOf(state: State, request: IncomingMessage): Promise<Ask> {
  const { backend, agent, manners } = state;
  if (!backend) throw new Error('there is no account behind this server');
  if (!manners.lag) return backend;
  const first = passed(request, Buffer.alloc(0));
  state.copy ??= openLaggingCopy(backend, first, manners.lag, (url) => forwardTo(url, agent));
  return (await state.copy).ask;
}

async function hold(state: State, place: number): Promise<void> {
  const moment = createMoment();
  state.held.push({ moment, place });
  await moment.stay();
}

async function release(state: State, count = state.held.length): Promise<void> {
  const inOrder = state.held.toSorted((one, other) => one.place - other.place);
  const { late } = state;
  state.held = inOrder.slice(count);
  state.late = [];
  await Promise.all(late.map((apply) => apply()));
  for (const { moment } of inOrder.slice(0, count)) moment.leave();
}

async function forgetCopy(state: State): Promise<void> {
  const copy = state.copy;
  state.copy = undefined;
  await (await copy)?.close();
}

/** The way to a service over HTTP. */
function forwardTo(backend: URL, agent: PlainAgent): Ask {
  return ({ method, url, headers, body }) =>
    new Promise((resolve, reject) => {
      const outgoing = plainRequest(
        {
          host: backend.hostname,
          port: backend.port,
          method,
          path: url,
          agent,
          headers: { ...headers, host: backend.host, 'content-length': body.length },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const type = incoming.headers['content-type'] ?? 'application/json';
            resolve({ status: incoming.statusCode ?? 200, headers: { 'content-type': type }, body: Buffer.concat(chunks) });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

function firstItems(request: Passed, count: number): Passed {
  const { url, body } = request;
  const [, before = '', hashes, after = ''] = /^(.*[?&]hashes=)([^&]*)(.*)$/.exec(url) ?? [];
  if (hashes !== undefined) return { ...request, url: before + hashes.split(',').slice(0, count).join(',') + after };
  const parsed = JSON.parse(body.toString());
  return { ...request, body: Buffer.from(JSON.stringify({ ...parsed, urls: parsed.urls.slice(0, count) })) };
}

function cannedAnswer({ status = 200, headers = {}, body = '', raw }: CannedAnswer): WholeAnswer {
  if (raw !== undefined) return { status: 0, headers: {}, body: Buffer.from(raw, 'latin1') };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(text) };
}

function altered(answer: WholeAnswer, alter: Step['alter'], random: () => number): WholeAnswer {
  if (!alter) return answer;
  const { status = answer.status, around: [before, after] = ['', ''] } = typeof alter === 'object' ? alter : {};
  const parsed = JSON.parse(answer.body.toString());
  const { urls } = parsed;
  const body = Array.isArray(urls) ? { ...parsed, urls: alteredItems(urls, alter, random) } : parsed;
  return { ...answer, status, body: Buffer.from(before + JSON.stringify(body) + after) };
}

function alteredItems(urls: readonly object[], alter: NonNullable<Step['alter']>, random: () => number): unknown[] {
  if (typeof alter === 'string') return alterations[alter](urls, random);
  const items: unknown[] = urls.map((item) => ({ ...item, ...alter.each }));
  return 'first' in alter ? [alter.first, ...items.slice(1)] : items;
}

type Alteration = (urls: readonly object[], random: () => number) => object[];

const alterations: { readonly [A in Extract<Step['alter'], string>]: Alteration } = {
  shuffle: (urls, random) => shuffled(urls, random),
  'drop last': (urls) => urls.slice(0, -1),
  'repeat first': (urls) => [...urls.slice(0, 1), ...urls],
  'add foreign': (urls) => [
    ...urls,
    { ...urls[0], hash: 'foreign', long_url: 'https://foreign.example/', short_url: 's.ex/foreign' },
  ],
  'without errors': (urls) => urls.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'error'))),
  normalise: (urls) => urls.map((item) => withText(item, 'long_url', (url) => new URL(url).href)),
  shout: (urls) => urls.map((item) => withText(item, 'hash', (hash) => ` ${hash.toUpperCase()} `)),
};
