import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { programCommand } from './built-program.ts';
import { needs } from './tools.ts';

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  /** 80 without it; 0 is a terminal that does not know. */
  readonly columns?: number;
  /** A line of bash in which `$linkctl` is the program, instead of its arguments. */
  readonly shell?: string;
}

export interface TerminalEnd {
  /** Null where a signal ended the program. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Everything that was shown, as it came: `\r\n` at the ends of lines. */
  readonly shown: string;
}

/** The built program on a terminal of its own. */
export interface Terminal {
  type(text: string): void;
  /** Everything so far, as it came. */
  shown(): string;
  /** Waits until the text was shown, after what was waited for before. */
  sees(text: string): Promise<void>;
  /** Waits until `stty` says this of the terminal: `-echo`. */
  settles(setting: string): Promise<void>;
  /** What `stty` says of the terminal: `echo`, `-icanon`. */
  settings(): string[];
  /** Id of the program. */
  processId(): number;
  ended(): Promise<TerminalEnd>;
  close(): void;
}

const driver = join(import.meta.dirname, 'terminal.py');
/** Milliseconds after which it will not come any more. */
const patience = 100_000;

export function openTerminal(argv: readonly string[], { env, columns = 80, shell }: TerminalOptions): Terminal {
  needs('python3', ...(shell === undefined ? [] : (['bash'] as const)));
  const command = shell === undefined ? [...programCommand, ...argv] : ['bash', '-c', shell];
  const driving = spawn('python3', ['-I', '-S', driver, String(columns), '24', ...command], {
    env: { TERM: 'xterm-256color', ...env, linkctl: programCommand.join(' ') },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const watch = watching(driving);
  const settings = (): string[] =>
    execFileSync('stty', ['-a', '-F', watch.facts().terminal], { encoding: 'utf8' }).split(/[\s;]+/);
  let seen = 0;
  return {
    settings,
    // Each look starts a program.
    settles: (setting) => watch.until(() => settings().includes(setting), `stty says ${setting}`, 50),
    shown: watch.shown,
    type: (text) => void driving.stdin?.write(text),
    async sees(text) {
      await watch.until(() => watch.shown().includes(text, seen), `the terminal shows ${JSON.stringify(text)}`);
      seen = watch.shown().indexOf(text, seen) + text.length;
    },
    processId: () => watch.facts().process,
    async ended() {
      await watch.until(() => watch.facts().code !== undefined, 'the program ends');
      const { code, signal } = watch.facts();
      return { code, signal, shown: watch.shown() };
    },
    close: () => driving.stdin?.end(),
  };
}

/** Runs the program to its end. */
export async function onTerminal(argv: readonly string[], options: TerminalOptions): Promise<TerminalEnd> {
  const terminal = openTerminal(argv, options);
  try {
    return await terminal.ended();
  } finally {
    terminal.close();
  }
}

/** The lines that stand on a screen wide enough after all this was shown: what was erased is gone, colours are left out. */
export function screenOf(shown: string): string[] {
  const lines = [''];
  let column = 0;
  for (const [piece] of shown.replace(/\u001b\[[\d;]*m/g, '').matchAll(/\u001b\[K|\r|\n|[^\r\n\u001b]+|\u001b/g)) {
    const line = lines.at(-1) ?? '';
    if (piece === '\r') column = 0;
    else if (piece === '\n') lines.push(' '.repeat(column));
    else if (piece === '\u001b[K') lines[lines.length - 1] = line.slice(0, column);
    else {
      lines[lines.length - 1] = line.slice(0, column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
  }
  return lines.map((line) => line.trimEnd());
}

interface Facts {
  terminal: string;
  process: number;
  code: number | null;
  signal: string | null;
}

interface Watch {
  shown(): string;
  facts(): Facts;
  /** Looks again after so many milliseconds. */
  until(condition: () => boolean, what: string, pause?: number): Promise<void>;
}

/** What the driver says, as it says it. */
function watching(driving: ChildProcess): Watch {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    driving[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return {
    shown: () => texts.stdout,
    facts: () => {
      const lines = texts.stderr.split('\n').slice(0, -1);
      return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
    },
    async until(condition, what, pause = 10) {
      const deadline = Date.now() + patience;
      while (!condition()) {
        if (Date.now() > deadline)
          throw new Error(`not within ${patience / 1000} s: ${what}; shown at last: ${texts.stdout.slice(-1000)}${texts.stderr}`);
        await delay(pause);
      }
    },
  };
}
