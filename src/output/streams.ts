import { safe } from '../base/safe-text.ts';
import type { System } from '../base/system.ts';
import type { OutputOptions } from './options.ts';
import type { Glyphs } from './report.ts';
import { createPaint, type Paint, usesColour } from './terminal/colour.ts';
import { createProgress, type Progress, progressMode } from './terminal/progress.ts';
import { Writer, writeAtOnce } from './writer.ts';

type World = Pick<System, 'stdout' | 'stderr' | 'env' | 'platform' | 'sleep'>;

/** stdout and stderr of one command, which know of each other: nothing else of ours writes to either. */
export class Streams {
  readonly progress: Progress;
  readonly glyphs: Glyphs;
  readonly #system: World;
  readonly #options: OutputOptions;
  #stdout: Writer | undefined;
  #stderr: Writer | undefined;
  #isAsking = false;
  #redact = (text: string): string => text;

  /** The options are read when they are needed; they may become known after the streams are open. */
  constructor(system: World, options: OutputOptions = {}) {
    this.#system = system;
    this.#options = options;
    this.glyphs = chooseGlyphs(system.env);
    const screen = {
      width: () => this.width('stderr'),
      ellipsis: this.glyphs.ellipsis,
      draw: (text: string) => void system.stderr.write(text),
      line: (text: string) => void this.messageNow(text),
    };
    this.progress = createProgress(() => progressMode(system, options), screen, system);
  }

  /** A stream that nothing is written to stays closed. */
  get stdout(): Writer {
    this.#stdout ??= new Writer(this.#system.stdout, this.#system.stdout.isTTY ? { beforeChunk: this.#clearProgress } : {});
    return this.#stdout;
  }

  /** Whether stdout is a terminal. */
  get terminal(): boolean {
    return this.#system.stdout.isTTY === true;
  }

  /** Whether stderr is one. */
  get watched(): boolean {
    return this.#system.stderr.isTTY === true;
  }

  /** Columns of the terminal on a stream (B24). */
  width(stream: 'stdout' | 'stderr' = 'stdout'): number {
    return columns(this.#system[stream].columns, this.#system.env);
  }

  /** Whether a stream gets colour (B36). */
  coloured(stream: 'stdout' | 'stderr'): boolean {
    return usesColour(this.#system[stream], this.#options, this.#system.env);
  }

  /** The styles of one stream (B36). */
  paint(stream: 'stdout' | 'stderr'): Promise<Paint> {
    return createPaint(this.coloured(stream));
  }

  /** Writes all that stdout is to hold: help, the version, or the answer to TAB. */
  async print(text: string): Promise<void> {
    const { fd } = this.#system.stdout;
    // Windows translates what goes to a console, and its streams know how.
    if (fd !== undefined && this.#system.platform !== 'win32') return writeAtOnce(fd, text);
    await this.stdout.write(text);
    await this.stdout.flush();
  }

  /**
   * One line on stderr, after all that stdout was given so far and without a progress line in its way. The text is made
   * safe; the lead is ours and may hold styles, or safe text with styles.
   */
  async message(text: string, lead = ''): Promise<void> {
    await this.#stdout?.flush().catch(() => undefined);
    await this.messageNow(text, lead);
  }

  /** Like `message`, without waiting for stdout, whose reader may be slow. */
  async messageNow(text: string, lead = ''): Promise<void> {
    this.#stderr ??= new Writer(this.#system.stderr, { lossy: true, beforeChunk: this.#clearProgress });
    this.#stderr.write(`${this.#isAsking ? '\n' : ''}${this.#redact(lead)}${this.#clean(text)}\n`);
    this.#isAsking = false;
    await this.#stderr.flush();
  }

  /** From now on all messages and questions pass through this first. */
  redactWith(redact: (text: string) => string): void {
    this.#redact = redact;
  }

  /** Writes a question, made safe. Until what it returns is called, with the answer, a message begins below the question. */
  question(text: string): () => void {
    // A question must be readable, with no progress drawn over it.
    this.progress.stop();
    this.#system.stderr.write(this.#clean(text));
    this.#isAsking = true;
    return () => {
      this.#isAsking = false;
    };
  }

  /** Takes the progress away, sends what is left and releases both streams; never throws. */
  async release(): Promise<void> {
    this.progress.stop();
    await this.#stdout?.release();
    await this.#stderr?.release();
  }

  readonly #clearProgress = (): void => this.progress.clear();

  #clean(text: string): string {
    return safe(this.#redact(text));
  }
}

/** 0 is what a terminal says that does not know (B24). */
function columns(reported: number | undefined, env: System['env']): number {
  const own = Number(env.COLUMNS);
  return reported || (Number.isInteger(own) && own > 0 ? own : 80);
}

const unicode: Glyphs = {
  tick: '✓',
  cross: '✗',
  arrow: '→',
  ellipsis: '…',
  bar: '█',
  partsOfBar: '▏▎▍▌▋▊▉',
  partsOfColumn: '▁▂▃▄▅▆▇',
  axes: ['│', '└', '─'],
  halves: true,
};
const ascii: Glyphs = {
  tick: 'OK',
  cross: 'x',
  arrow: '->',
  ellipsis: '...',
  bar: '#',
  partsOfBar: '',
  partsOfColumn: '',
  axes: ['|', '+', '-'],
  halves: false,
};

/** ASCII where the terminal or the locale cannot show more (B96). A locale that nobody set says nothing. */
function chooseGlyphs(env: System['env']): Glyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return env.TERM !== 'dumb' && /utf-?8/i.test(locale) ? unicode : ascii;
}
