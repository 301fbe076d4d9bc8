import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { programPath } from '../support/built-program.ts';

/** Items of an answer, of which the trial reads these. */
export interface Item {
  readonly hash?: string;
  readonly custom_hash?: string;
  readonly long_url?: string;
  readonly note?: string;
  readonly total_clicks?: number;
  readonly error?: { readonly code: number };
}

export interface Answer {
  readonly error: { readonly code: number };
  readonly urls: readonly Item[];
  readonly page: { readonly total_count: number };
}

/** One `linkctl serve` of several on a database, killed and started again on the same port. */
export class Serving {
  readonly #argv: readonly string[];
  readonly #program: string;
  readonly #authorization: string;
  #child: ChildProcess | undefined;
  port = 0;
  kills = 0;

  /** `program`: that of another version, where one is given. */
  constructor(argv: readonly string[], authorization: string, program = programPath) {
    this.#argv = argv;
    this.#program = program;
    this.#authorization = authorization;
  }

  /** Resolves when it listens; a database that is down is waited for. */
  async start(): Promise<void> {
    for (;;) {
      const argv = [this.#program, 'serve', '-o', 'json', '--port', String(this.port), ...this.#argv];
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'] });
      this.#child = child;
      for await (const line of createInterface(child.stdout)) {
        this.port = Number(new URL((JSON.parse(line) as { base_url: string }).base_url).port);
        child.stdout.resume();
        return;
      }
    }
  }

  /** As `kill -9` does, and again. */
  async kill(): Promise<void> {
    this.kills += 1;
    const ended = new Promise((resolve) => this.#child?.once('close', resolve));
    this.#child?.kill('SIGKILL');
    await ended;
    await this.start();
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
  }

  /** The answer to a call; undefined where it did not arrive, or says that the outcome is not known. */
  async call(method: string, path: string, body?: object): Promise<Answer | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.port}/api/3${path}`, {
        method,
        headers: { authorization: this.#authorization, connection: 'close' },
        signal: AbortSignal.timeout(20_000),
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Answer;
      return answer.error.code === 101 ? undefined : answer;
    } catch {
      return undefined;
    }
  }

  /** The status of a visit, 0 without one, and how many milliseconds it took. */
  async visit(path: string, visitor: string): Promise<{ status: number; wait: number }> {
    const started = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
        redirect: 'manual',
        headers: { 'user-agent': visitor },
        signal: AbortSignal.timeout(20_000),
      });
      return { status: response.status, wait: performance.now() - started };
    } catch {
      return { status: 0, wait: performance.now() - started };
    }
  }
}
