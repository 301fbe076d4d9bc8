import { onTestFinished } from 'vitest';
import type { CallError } from '../../src/client/call-error.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import type { ClientEvent, ClientOptions } from '../../src/client/client-options.ts';
import { type FaultyOptions, type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import type { Step } from '../support/faulty-steps.ts';
import { createTestSystem } from '../support/test-system.ts';

export const key = 'CANARY-4f1d2c3b4a59687786a5';

/** A clock that moves only when somebody sleeps, and remembers for how long. */
export interface FakeTime {
  now: number;
  readonly slept: number[];
}

export interface Rig {
  readonly server: FaultyServer;
  readonly client: Client;
  readonly time: FakeTime;
  readonly events: ClientEvent[];
}

/** A client with a fake clock in front of a scripted server. `random` gives the jitter. */
export async function rig(
  steps: readonly Step[],
  options: Partial<Omit<ClientOptions, 'server'>> & {
    random?: () => number;
    server?: FaultyOptions;
    onSleep?: (count: number) => Promise<void>;
  } = {},
): Promise<Rig> {
  const { random = () => 0.5, server: serverOptions, onSleep, ...clientOptions } = options;
  const server = await startFaultyServer(serverOptions);
  await server.script(steps);
  const time: FakeTime = { now: Date.UTC(2026, 0, 1), slept: [] };
  const events: ClientEvent[] = [];
  const client = createClient({
    baseUrl: server.baseUrl,
    username: 'ann',
    readKey: async () => key,
    edition: 'a',
    profile: 'work',
    keySource: '~/.config/linkctl/config.json',
    version: '1.2.3',
    observe: (event) => events.push(event),
    redact: (text) => text.replaceAll(key, '[redacted]'),
    system: {
      ...createTestSystem({
        now: () => time.now,
        elapsed: () => time.slept.reduce((sum, each) => sum + each, 0),
        random,
      }),
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted();
        time.slept.push(milliseconds);
        time.now += milliseconds;
        await onSleep?.(time.slept.length);
      },
    },
    ...clientOptions,
  });
  onTestFinished(() => server.close());
  return { server, client, time, events };
}

/** The error that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<CallError> {
  return call.then(
    (result) => {
      throw new Error(`no failure: ${JSON.stringify(result)}`);
    },
    (error: CallError) => error,
  );
}

/** An answer of the service with what it holds. */
export function answer(members: object, status = 200): Step {
  return { answer: { status, body: { error: { code: 0, message: '' }, ...members } } };
}
