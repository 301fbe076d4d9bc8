import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Signal } from '../../src/base/system.ts';
import { main } from '../../src/cli/main.ts';
import { test as base } from '../support/linkctl.ts';
import { createTestSystem, type TestSystem, type World } from '../support/test-system.ts';

export interface Announced {
  base_url: string;
  username: string;
  api_key_file: string;
  /** Of that file, the first. */
  api_key: string;
  edition: string;
  public_url?: string;
  metrics_url?: string;
  domains: string[];
}

export interface Serving {
  readonly announced: Announced;
  readonly origin: string;
  readonly system: TestSystem;
  /** Sends a signal and answers with the exit code. */
  stop(signal?: Signal): Promise<number>;
  call(path: string, method?: string, body?: object): Promise<{ error: { code: number }; [member: string]: unknown }>;
}

/** `linkctl serve` on a free port, with `-o json`, until the test ends. */
export const test = base.extend<{ serve: (flags?: readonly string[], world?: World) => Promise<Serving> }>({
  serve: async ({ homeEnv }, use) => {
    const running: Serving[] = [];
    await use(async (flags = ['--port', '0'], world = {}) => {
      // Nobody waits for proxies that are not there.
      const system = createTestSystem({ sleep: async () => {}, ...world, env: { ...homeEnv, ...world.env } });
      const ended = main(['serve', '-o', 'json', ...flags], system);
      while (!system.printed().stdout.includes('\n')) {
        const code = await Promise.race([ended, delay(5)]);
        if (code !== undefined) throw new Error(`serve ended with ${code}: ${system.printed().stderr}`);
      }
      const said = JSON.parse(system.printed().stdout) as Announced;
      const [api_key = ''] = readFileSync(said.api_key_file, 'utf8').split('\n');
      const announced = { ...said, api_key };
      const serving: Serving = {
        announced,
        origin: announced.base_url.replace('/api/3', ''),
        system,
        stop: (signal = 'SIGTERM') => {
          system.raise(signal);
          return ended;
        },
        call: async (path, method = 'GET', body) => {
          const authorization = `Basic ${Buffer.from(`${announced.username}:${announced.api_key}`).toString('base64')}`;
          const answer = await fetch(announced.base_url + path, {
            method,
            headers: { authorization },
            body: JSON.stringify(body),
          });
          return (await answer.json()) as { error: { code: number } };
        },
      };
      running.push(serving);
      return serving;
    });
    for (const serving of running) await serving.stop();
  },
});
