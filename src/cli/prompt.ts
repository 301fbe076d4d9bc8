import { AuthError, FailedError, UsageError } from '../base/errors.ts';
import type { InputStream, System } from '../base/system.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import type { Streams } from '../output/streams.ts';

/** Who asks: the streams that know of a progress line, and the flags that forbid asking. */
export interface Asker {
  readonly system: System;
  readonly global: GlobalOptions;
  readonly streams: Streams;
  /** stdin is the input of the command: who answers types on the terminal itself (B56). */
  readonly stdinIsInput?: boolean;
}

/** Whether a question may be asked at all (B54): somebody can type, stderr is a terminal, and nothing says that nobody is there. */
export function canAsk(asker: Asker): boolean {
  const { env, stderr } = asker.system;
  const forbidden = asker.global.input === false || isSet(env.LINKCTL_NO_INPUT) || Boolean(env.CI);
  const from = keyboard(asker);
  return !forbidden && stderr.isTTY === true && from?.isTTY === true && !from.readableEnded;
}

/** Where answers are typed. */
function keyboard({ system, stdinIsInput }: Asker): InputStream | undefined {
  return stdinIsInput ? system.terminal() : system.stdin;
}

/** Asks for a line; an empty answer is `fallback`. `flag` is what answers the question where it cannot be asked (B55). */
export async function ask(question: string, flag: string, asker: Asker, fallback?: string): Promise<string> {
  requireTerminal(flag, asker);
  const shown = fallback === undefined ? question : `${question} [${fallback}]`;
  for (;;) {
    const answer = (await readLine(`${shown}: `, asker)).trim() || fallback;
    if (answer !== undefined && answer !== '') return answer;
  }
}

/** Asks for a secret with echo off (B65). */
export async function askHidden(question: string, flag: string, asker: Asker): Promise<string> {
  requireTerminal(flag, asker);
  const answer = await readLine(`${question}: `, asker, true);
  if (answer.trim() === '') throw new AuthError('no key was given');
  return answer.trim();
}

/** Asks for a yes; `--yes` is one (B54). Throws for a no, which is also the answer of an empty line (B56, B59). */
export async function confirm(question: string, asker: Asker): Promise<void> {
  if (asker.global.yes) return;
  requireTerminal('--yes', asker);
  const answer = (await readLine(`${question} [y/N] `, asker)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new FailedError('aborted: nothing was changed');
}

/** Asks to type a number, for what cannot be undone by the hundred (B56). */
export async function confirmCount(question: string, count: number, asker: Asker): Promise<void> {
  if (asker.global.yes) return;
  requireTerminal('--yes', asker);
  const answer = (await readLine(`${question} Type ${count} to go on: `, asker)).trim();
  if (answer.replaceAll(',', '') !== String(count)) throw new FailedError('aborted: nothing was changed');
}

function requireTerminal(flag: string, asker: Asker): void {
  if (!canAsk(asker)) throw new UsageError(`${flag} required when not running interactively`);
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}

/** One line of the terminal; a hidden one raw, because only so echo can be off. */
async function readLine(question: string, asker: Asker, hidden = false): Promise<string> {
  const { system, streams } = asker;
  const { stderr } = system;
  const stdin = keyboard(asker) ?? system.stdin;
  const answered = streams.question(question);
  try {
    if (hidden) stdin.setRawMode?.(true);
    const line = await typedLine(stdin, system);
    if (!hidden) answered();
    return line;
  } finally {
    if (hidden) {
      stdin.setRawMode?.(false);
      stderr.write('\n');
      answered();
    }
    // A terminal that was opened for this keeps the program running, and takes what is typed for the next one.
    if (stdin !== system.stdin) stdin.destroy();
  }
}

/** Reads by events: an iterator of a stream, or a `readline` of it, leaves nothing for the next question when it is left. */
function typedLine(stdin: InputStream, system: System): Promise<string> {
  const decoder = new TextDecoder();
  let typed = '';
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      stdin.off('data', take).off('end', leave).off('close', leave).pause();
      act();
    };
    const leave = (): void => settle(() => reject(new FailedError('aborted: nothing was changed')));
    const take = (chunk: Buffer | string): void => {
      typed += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const at = typed.search(/[\r\n\u0003\u0004]/);
      if (at === -1) return;
      // Raw, the terminal leaves Ctrl-C and Ctrl-D to us.
      if (typed[at] === '\u0004') {
        leave();
        return;
      }
      if (typed[at] === '\u0003') {
        system.stderr.write('\ninterrupted\n');
        system.dieOf('SIGINT');
        settle(() => reject(new FailedError('interrupted')));
        return;
      }
      const ahead = typed.slice(at + 1);
      if (ahead !== '') stdin.unshift(Buffer.from(ahead));
      settle(() => resolve(rubbedOut(typed.slice(0, at))));
    };
    stdin.on('data', take).on('end', leave).on('close', leave).resume();
  });
}

/** Raw, the terminal leaves the backspace to us, too. */
function rubbedOut(typed: string): string {
  const letters: string[] = [];
  for (const letter of typed) {
    if (letter === '\u007f' || letter === '\b') letters.pop();
    else letters.push(letter);
  }
  return letters.join('');
}
