import { safe } from '../../base/safe-text.ts';
import type { System } from '../../base/system.ts';
import type { OutputOptions } from '../options.ts';

/** How far a long piece of work is, on stderr (B89). */
export interface Progress {
  /** The work has got further: `3/12 batches · 1500/5800 · 2 failed · ETA 8s`. Asked again whenever the line is drawn. */
  step(state: () => string): void;
  /** Says once how far the work is, whatever the mode: for SIGUSR2. */
  status(): void;
  /** Takes the line away until it is drawn next. */
  clear(): void;
  /** Takes the line away for good. Until then a drawn line keeps the program running. */
  stop(): void;
}

export type ProgressMode = 'line' | 'plain' | 'none';

export function progressMode({ stderr, env }: Pick<System, 'stderr' | 'env'>, { progress, quiet }: OutputOptions): ProgressMode {
  if (quiet || progress === 'none') return 'none';
  if (progress === 'plain') return 'plain';
  return stderr.isTTY && !env.CI && env.TERM !== 'dumb' ? 'line' : 'none';
}

/** What the progress needs of stderr. */
export interface ProgressScreen {
  /** Columns, as of now. */
  width(): number;
  ellipsis: string;
  /** Writes as it is, at once. */
  draw(text: string): void;
  /** Writes a line of its own. */
  line(text: string): void;
}

/** Milliseconds. */
const appearsAfter = 1000;
const redrawnEvery = 100;
const eraseLine = '\r\u001b[K';

/** The mode is asked for when work begins: by then all flags are known. */
export function createProgress(mode: () => ProgressMode, screen: ProgressScreen, { sleep }: Pick<System, 'sleep'>): Progress {
  let state: (() => string) | undefined;
  let drawn = '';
  let drawing: AbortController | undefined;

  const clear = (): void => {
    if (drawn !== '') screen.draw(eraseLine);
    drawn = '';
  };
  const keepDrawn = async (signal: AbortSignal): Promise<void> => {
    await sleep(appearsAfter, signal);
    const { truncate } = await import('../display-width.ts');
    while (!signal.aborted) {
      // One column stays free: a full line would wrap, and then could not be taken away.
      const line = truncate(safe(state?.() ?? ''), screen.width() - 1, screen.ellipsis);
      if (line !== drawn) screen.draw(`${eraseLine}${line}`);
      drawn = line;
      await sleep(redrawnEvery, signal);
    }
  };

  return {
    clear,
    step(next) {
      state = next;
      if (mode() === 'plain') screen.line(next());
      if (drawing || mode() !== 'line') return;
      drawing = new AbortController();
      // Ends by the abort in `stop`.
      keepDrawn(drawing.signal).catch(() => undefined);
    },
    status() {
      if (state) screen.line(state());
    },
    stop() {
      drawing?.abort();
      drawing = undefined;
      clear();
    },
  };
}
