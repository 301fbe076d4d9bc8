import { safe } from '../base/safe-text.ts';
import type { System } from '../base/system.ts';
import type { OutputOptions } from './options.ts';
import type { Glyphs } from './report.ts';
import { createPaint, type Paint, usesColour } from './terminal/colour.ts';
import { chooseGlyphs } from './terminal/glyphs.ts';
import { createProgress, type Progress, progressMode } from './terminal/progress.ts';
import { createWriter, type Writer, writeAtOnce } from './writer.ts';

/** stdout and stderr of one command, which know of each other: nothing else of ours writes to either. */
export interface Streams {
  readonly stdout: Writer;
  readonly progress: Progress;
  readonly glyphs: Glyphs;
  /** Whether stdout is a terminal. */
  readonly terminal: boolean;
  /** Whether stderr is one. */
  readonly watched: boolean;
  /** Writes all that stdout is to hold: help, the version, or what a shell hears at TAB. */
  say(text: string): Promise<void>;
  /** Columns of the terminal on stdout (B24). */
  width(): number;
  /** Whether a stream gets colour (B36). */
  coloured(stream: 'stdout' | 'stderr'): boolean;
  /** The styles of one stream (B36). */
  paint(stream: 'stdout' | 'stderr'): Promise<Paint>;
  /**
   * One line on stderr, after all that stdout was given so far and without a progress line in its way. The text is made
   * safe; the lead is ours and may hold styles.
   */
  tell(text: string, lead?: string): Promise<void>;
  /** The same without waiting for stdout, whose reader may be the one that is slow. */
  interject(text: string): Promise<void>;
  /** From now on all that is told or asked passes through this first. */
  redactWith(redact: (text: string) => string): void;
  /** Writes a question, made safe. Until its answer came, a line that is told begins below it. Answers with what says so. */
  question(text: string): () => void;
  /** Takes the progress away, sends what is left and lets go of both streams; never throws. */
  release(): Promise<void>;
}

type World = Pick<System, 'stdout' | 'stderr' | 'env' | 'platform' | 'sleep'>;

/** The options are read when they are needed; they may become known after the streams are open. */
export function openStreams(system: World, options: OutputOptions = {}): Streams {
  const { env } = system;
  const glyphs = chooseGlyphs(env);
  const clear = (): void => progress.clear();
  const stdout = once(() => createWriter(system.stdout, system.stdout.isTTY ? { beforeChunk: clear } : {}));
  const stderr = once(() => createWriter(system.stderr, { lossy: true, beforeChunk: clear }));
  let isAsking = false;
  let redact = (text: string): string => text;
  const clean = (text: string): string => safe(redact(text));
  const tellNow = async (line: string): Promise<void> => {
    stderr.open().write(`${isAsking ? '\n' : ''}${line}\n`);
    isAsking = false;
    await stderr.open().flush();
  };
  const screen = {
    width: () => columns(system.stderr.columns, env),
    ellipsis: glyphs.ellipsis,
    draw: (text: string) => void system.stderr.write(text),
    tell: (line: string) => void tellNow(clean(line)),
  };
  const progress = createProgress(() => progressMode(system, options), screen, system);

  return {
    get stdout() {
      return stdout.open();
    },
    async say(text) {
      const { fd } = system.stdout;
      // Windows translates what goes to a console, and its streams know how.
      if (fd !== undefined && system.platform !== 'win32') return writeAtOnce(fd, text);
      await stdout.open().write(text);
      await stdout.open().flush();
    },
    progress,
    glyphs,
    get terminal() {
      return system.stdout.isTTY === true;
    },
    get watched() {
      return system.stderr.isTTY === true;
    },
    width: () => columns(system.stdout.columns, env),
    coloured: (stream) => usesColour(system[stream], options, env),
    paint: (stream) => createPaint(usesColour(system[stream], options, env)),
    async tell(text, lead = '') {
      await stdout
        .opened()
        ?.flush()
        .catch(() => undefined);
      await tellNow(lead + clean(text));
    },
    interject: (text) => tellNow(clean(text)),
    redactWith(next) {
      redact = next;
    },
    question(text) {
      // Who is asked reads the question, not how far the work before it got.
      progress.stop();
      system.stderr.write(clean(text));
      isAsking = true;
      return () => {
        isAsking = false;
      };
    },
    async release() {
      progress.stop();
      await stdout.opened()?.release();
      await stderr.opened()?.release();
    },
  };
}

/** A stream that nothing is written to stays closed. */
function once(create: () => Writer): { open(): Writer; opened(): Writer | undefined } {
  let writer: Writer | undefined;
  return {
    open() {
      writer ??= create();
      return writer;
    },
    opened: () => writer,
  };
}

/** 0 is what a terminal says that does not know (B24). */
function columns(reported: number | undefined, env: System['env']): number {
  const own = Number(env.COLUMNS);
  return reported || (Number.isInteger(own) && own > 0 ? own : 80);
}
