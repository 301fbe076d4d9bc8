import { isUtf8 } from 'node:buffer';
import { CliError } from '../../base/errors.ts';
import { maximumBody, type Timeouts, type WireAnswer, type WireFailure } from './transport.ts';

/** Decides on timeouts, limits and outcomes for all transports, which only report events of the wire. */
export class Exchange {
  readonly outcome: Promise<WireAnswer | WireFailure>;
  readonly #host: string;
  readonly #timeouts: Timeouts;
  readonly #signal: AbortSignal | undefined;
  readonly #total: NodeJS.Timeout;
  #phase: NodeJS.Timeout;
  #settle: (outcome: WireAnswer | WireFailure | Promise<WireFailure>) => void = () => {};
  #stop: () => void = () => {};
  #settled = false;
  #sent = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(host: string, timeouts: Timeouts, signal?: AbortSignal) {
    this.#host = host;
    this.#timeouts = timeouts;
    this.#signal = signal;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#phase = this.#silence(timeouts.connect, `no connection to ${host}`);
    this.#total = this.#silence(timeouts.total, `no complete response from ${host}`);
    signal?.addEventListener('abort', this.#interrupt, { once: true });
    if (signal?.aborted) this.#interrupt();
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** `stop` is called if the exchange ends early. */
  onStop(stop: () => void): void {
    this.#stop = stop;
    if (this.#settled) stop();
  }

  /** Call this before the first byte is written; from then on the outcome can be unknown. */
  sent(): void {
    if (this.#settled || this.#sent) return;
    this.#sent = true;
    this.#await(this.#timeouts.headers, `no response from ${this.#host}`);
  }

  head(status: number, headers: { readonly [name: string]: string | string[] | undefined }): void {
    if (this.#settled) return;
    this.#status = status;
    this.#headers = joined(headers);
    this.#await(this.#timeouts.idle, `the response of ${this.#host} stopped`);
    const encoding = this.#headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() !== 'identity') {
      this.#fail(`${this.#host} sent an unrequested compressed response`, 'lasting');
    } else if (Number(this.#headers['content-length']) > maximumBody) this.#tooLarge();
  }

  body(chunk: Uint8Array): void {
    if (this.#settled) return;
    this.#size += chunk.byteLength;
    if (this.#size > maximumBody) this.#tooLarge();
    else {
      this.#chunks.push(chunk);
      this.#phase.refresh();
    }
  }

  end(): void {
    const [first] = this.#chunks;
    const only = first && this.#chunks.length === 1 ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) : undefined;
    const bytes = only ?? Buffer.concat(this.#chunks);
    const body = bytes.toString('utf8');
    this.#end({ kind: 'answer', status: this.#status, headers: this.#headers, body, isUtf8: isUtf8(bytes) });
  }

  fail(error: unknown): void {
    if (this.#settled) return;
    const sent = this.#sent;
    const words = import('../failure-messages.ts').then(({ failureOf }) => failureOf(error, this.#host));
    this.#end(words.then((text) => ({ kind: 'failure', sent, ...text })));
  }

  #tooLarge(): void {
    this.#fail(`the response of ${this.#host} is larger than ${maximumBody / 1024 / 1024} MiB`, 'lasting');
  }

  #fail(message: string, nature: WireFailure['nature']): void {
    this.#end({ kind: 'failure', sent: this.#sent, message, nature });
  }

  /** The message of a failure may be loaded asynchronously. */
  #end(outcome: WireAnswer | WireFailure | Promise<WireFailure>): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#phase);
    clearTimeout(this.#total);
    this.#signal?.removeEventListener('abort', this.#interrupt);
    this.#chunks = [];
    this.#settle(outcome);
    if (!('kind' in outcome) || outcome.kind === 'failure') this.#stop();
  }

  #await(milliseconds: number, message: string): void {
    clearTimeout(this.#phase);
    this.#phase = this.#silence(milliseconds, message);
  }

  #silence(milliseconds: number, message: string): NodeJS.Timeout {
    return setTimeout(() => this.#fail(`${message} within ${milliseconds / 1000} s`, 'timeout'), milliseconds);
  }

  readonly #interrupt = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.#fail(reason instanceof CliError ? reason.message : 'interrupted', 'interrupted');
  };
}

function joined(headers: { readonly [name: string]: string | string[] | undefined }): Record<string, string> {
  const record: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) record[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  return record;
}
