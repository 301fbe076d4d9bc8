import type { CliError } from '../base/errors.ts';
import { safe } from '../base/safe-text.ts';
import type { System } from '../base/system.ts';
import { wrap } from '../base/wrap.ts';
import type { OutputOptions } from './output-options.ts';
import { printedCommand } from './printed-commands.ts';
import type { Glyphs } from './report.ts';
import { createPaint, type Paint, usesColour } from './terminal/colour.ts';
import { createProgress, type Progress, progressMode } from './terminal/progress.ts';
import { Writer, writeAtOnce } from './writer.ts';

type World = Pick<System, 'stdout' | 'stderr' | 'env' | 'platform' | 'sleep'>;

/** Milliseconds for which a command that is to end waits until a chunk of its output was read. Enough for a reader that is slow, but reads. */
const patience = 5000;

/** The only code that writes to stdout and stderr, so that their order is kept. */
export class Streams {
  readonly progress: Progress;
  readonly glyphs: Glyphs;
  /** Completes the commands in a hint or a note, so that they can be pasted. */
  pasteable = (text: string): string => text;
  readonly #system: World;
  readonly #options: OutputOptions;
  #stdout: Writer | undefined;
  #stderr: Writer | undefined;
  #isAsking = false;
  #redact = (text: string): string => text;

  /** Options are read on use, because they may be known only after the streams are open. */
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

  /** Opened on first use. */
  get stdout(): Writer {
    this.#stdout ??= new Writer(this.#system.stdout, this.#system.stdout.isTTY ? { beforeChunk: this.#clearProgress } : {});
    return this.#stdout;
  }

  get #messages(): Writer {
    this.#stderr ??= new Writer(this.#system.stderr, { lossy: true, beforeChunk: this.#clearProgress });
    return this.#stderr;
  }

  /** For a command that is to end: from now on, output fails with `reason` and messages are dropped if their readers are blocked. */
  hurry(reason: CliError): void {
    const limit = (): Promise<CliError> => this.#system.sleep(patience).then(() => reason);
    this.stdout.hurry(limit);
    this.#messages.hurry(limit);
  }

  /** True if stdout is a terminal. */
  get terminal(): boolean {
    return this.#system.stdout.isTTY === true;
  }

  /** True if stderr is a terminal. */
  get watched(): boolean {
    return this.#system.stderr.isTTY === true;
  }

  /** Columns of the terminal. */
  width(stream: 'stdout' | 'stderr' = 'stdout'): number {
    return columns(this.#system[stream].columns, this.#system.env);
  }

  coloured(stream: 'stdout' | 'stderr'): boolean {
    return usesColour(this.#system[stream], this.#options, this.#system.env);
  }

  paint(stream: 'stdout' | 'stderr'): Promise<Paint> {
    return createPaint(this.coloured(stream));
  }

  /** Writes the complete output of a command: help, the version or completions. */
  async print(text: string): Promise<void> {
    const { fd } = this.#system.stdout;
    // On Windows only the streams of Node translate console output.
    if (fd !== undefined && this.#system.platform !== 'win32') return writeAtOnce(fd, text);
    await this.stdout.write(text);
    await this.stdout.flush();
  }

  /** Prints a note or a warning; its commands can be pasted. */
  async note(text: string): Promise<void> {
    await this.message(this.pasteable(text));
  }

  /** Prints one line on stderr after everything on stdout. `text` is made safe; `lead` must be safe and may contain styles. */
  async message(text: string, lead = ''): Promise<void> {
    await this.#stdout?.flush().catch(() => undefined);
    await this.messageNow(text, lead);
  }

  /** Does not wait for stdout, whose reader may be slow. */
  async messageNow(text: string, lead = ''): Promise<void> {
    this.#messages.write(`${this.#isAsking ? '\n' : ''}${this.#redact(lead)}${this.fitted(this.#clean(text), 'stderr', lead)}\n`);
    this.#isAsking = false;
    await this.#messages.flush();
  }

  /** All later messages and questions pass through `redact`. */
  redactWith(redact: (text: string) => string): void {
    this.#redact = redact;
  }

  /** True if a message would not show all of the text. */
  redacts(text: string): boolean {
    return this.#redact(text) !== text;
  }

  /** Until the returned function is called, messages begin on a new line below the question. */
  question(text: string): () => void {
    // Progress must not overwrite the question.
    this.progress.stop();
    this.#system.stderr.write(this.fitted(this.#clean(text), 'stderr'));
    this.#isAsking = true;
    return () => {
      this.#isAsking = false;
    };
  }

  /** On a terminal, breaks the text that follows `lead` between words, but never inside a command, so that it can be pasted. */
  fitted(text: string, stream: 'stdout' | 'stderr' = 'stdout', lead = ''): string {
    if (!this.#system[stream].isTTY || text === '') return text;
    // Takes the room of the lead, in which no line breaks. Its last character is a space, or belongs to the first word.
    const before = lead.replace(style, '').replace(/.(?=.)/g, '\0');
    const held = text.replace(new RegExp(unbroken, 'g'), (words) => words.replaceAll(' ', '\0'));
    const [first = '', ...others] = wrap(before + held, this.width(stream));
    return [first.slice(before.length), ...others].join('\n').replaceAll('\0', ' ');
  }

  /** Flushes and releases both streams; never throws. */
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

const style = /\u001b\[\d+m/g;
const otherCommand = "(?<=^|: |\\()(?:chmod|ls|rm) .*|--[\\w-]+ '[^']*'";
const unbroken = `${printedCommand}|${otherCommand}|Type \\d+ to continue:`;

/** Terminals report 0 if they do not know their width. */
function columns(reported: number | undefined, env: System['env']): number {
  const own = Number(env.COLUMNS);
  return reported || (Number.isInteger(own) && own > 0 ? own : 80);
}

const unicode: Glyphs = {
  tick: '✓',
  arrow: '→',
  ellipsis: '…',
  separator: ' · ',
  bar: '█',
  partsOfBar: '▏▎▍▌▋▊▉',
  partsOfColumn: '▁▂▃▄▅▆▇',
  axes: ['│', '└', '─'],
  halves: true,
};
const ascii: Glyphs = {
  tick: 'OK',
  arrow: '->',
  ellipsis: '...',
  separator: ', ',
  bar: '#',
  partsOfBar: '',
  partsOfColumn: '',
  axes: ['|', '+', '-'],
  halves: false,
};

/** Chooses ASCII if the terminal or the locale needs it; an unset locale counts as UTF-8. */
function chooseGlyphs(env: System['env']): Glyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return env.TERM !== 'dumb' && /utf-?8/.test(locale.toLowerCase()) ? unicode : ascii;
}
