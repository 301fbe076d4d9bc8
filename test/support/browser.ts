import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { needs } from './tools.ts';

type Members = Readonly<Record<string, unknown>>;

interface Message extends Members {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Members;
  readonly result?: Members;
  readonly error?: { readonly message: string };
}

/** One page of a real browser, driven by the DevTools protocol over pipes. */
export interface Page {
  send(method: string, params?: Members): Promise<Members>;
  /** What the page itself says, by the methods of the protocol, since it was opened. */
  events(method: string): Members[];
  /** Opens an address and waits until all of it is loaded. */
  open(url: string): Promise<void>;
  /** The value of an expression, which must be JSON. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Chromium without a window and without a way to any other machine. */
export async function openBrowser(): Promise<Page> {
  needs('chromium');
  const profile = mkdtempSync(join(tmpdir(), 'linkctl-browser-'));
  const flags = [
    ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--hide-scrollbars'],
    ...['--disable-background-networking', '--disable-component-update', '--host-resolver-rules=MAP * ~NOTFOUND'],
    ...['--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
  ];
  const child = spawn('chromium', flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const protocol = speak(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const { targetInfos } = await protocol.send('Target.getTargets', {});
  const { targetId } = (targetInfos as { type: string; targetId: string }[]).find(({ type }) => type === 'page') ?? {};
  const { sessionId } = await protocol.send('Target.attachToTarget', { targetId, flatten: true });
  const send: Page['send'] = (method, params = {}) => protocol.send(method, params, String(sessionId));
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
  return {
    send,
    events: (method) => protocol.events.flatMap((event) => (event.method === method ? [event.params ?? {}] : [])),
    async open(url) {
      const loaded = protocol.next('Page.loadEventFired');
      await send('Page.navigate', { url });
      await loaded;
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', {
        expression,
        returnByValue: true,
        awaitPromise: true,
      });
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { value: unknown }).value;
    },
    async close() {
      await protocol.send('Browser.close', {}).catch(() => undefined);
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Messages are JSON, each ended by a zero byte. */
function speak(input: Writable, output: Readable) {
  const events: Message[] = [];
  const waiting = new Map<number, { resolve(result: Members): void; reject(error: Error): void }>();
  const listeners = new Map<string, () => void>();
  const take = (message: Message): void => {
    const waiter = waiting.get(message.id ?? -1);
    if (waiter) {
      if (message.error) waiter.reject(new Error(message.error.message));
      else waiter.resolve(message.result ?? {});
    } else {
      events.push(message);
      listeners.get(message.method ?? '')?.();
    }
  };
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) take(JSON.parse(message));
  });
  output.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'));
  });
  let id = 0;
  return {
    events,
    next: (method: string) => new Promise<void>((resolve) => listeners.set(method, resolve)),
    send: (method: string, params: Members, sessionId?: string): Promise<Members> =>
      new Promise((resolve, reject) => {
        id += 1;
        waiting.set(id, { resolve, reject });
        input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
      }),
  };
}
