import { safe } from '../../base/safe-text.ts';
import type { System } from '../../base/system.ts';
import type { OutputOptions } from '../output-options.ts';

/** Progress of long work, on stderr. */
export interface Progress {
  /** `state` returns a line such as `3/12 batches · 1500/5800 · 2 failed · ETA 8s` and is called for each drawing. */
  step(state: () => string): void;
  /** Prints the progress once in any mode, for SIGUSR2. */
  status(): void;
  /** Erases the line until the next drawing. */
  clear(): void;
  /** Erases the line for good. Until then the timer keeps the process alive. */
  stop(): void;
}

type ProgressMode = 'line' | 'plain' | 'none';

export function progressMode({ stderr, env }: Pick<System, 'stderr' | 'env'>, { progress, quiet }: OutputOptions): ProgressMode {
  if (quiet || progress === 'none') return 'none';
  if (progress === 'plain') return 'plain';
  return stderr.isTTY && !env.CI && env.TERM !== 'dumb' ? 'line' : 'none';
}

interface ProgressScreen {
  /** Current width in columns. */
  width(): number;
  ellipsis: string;
  /** Writes raw text immediately. */
  draw(text: string): void;
  /** Prints a separate line. */
  line(text: string): void;
}

/** Milliseconds. */
const appearsAfter = 1000;
const redrawnEvery = 100;
const eraseLine = '\r\u001b[K';

/** `mode` is called when work begins, when all flags are known. */
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
      // The last column stays free: a full line would wrap and could not be erased.
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
      // The abort in `stop` ends it.
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
