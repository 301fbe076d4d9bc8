import { AuthError, FailedError, UsageError } from '../base/errors.ts';
import type { InputStream, System } from '../base/system.ts';
import { type Invocation, isSet } from './invocation.ts';

/** Whether a question may be asked at all (B54): input and stderr are a terminal, and neither flags nor environment forbid it. */
export function canAsk(invocation: Invocation): boolean {
  const { env, stderr } = invocation.system;
  const forbidden = invocation.global.input === false || isSet(env.LINKCTL_NO_INPUT) || Boolean(env.CI);
  const from = keyboard(invocation);
  return !forbidden && stderr.isTTY === true && from?.isTTY === true && !from.readableEnded;
}

/** Where answers are typed. */
function keyboard({ system, stdinIsInput }: Invocation): InputStream | undefined {
  return stdinIsInput ? system.terminal() : system.stdin;
}

/** Asks for a line; an empty answer is `fallback`. `flag` is what answers the question where it cannot be asked (B55). */
export async function ask(question: string, flag: string, invocation: Invocation, fallback?: string): Promise<string> {
  requireTerminal(flag, invocation);
  const shown = fallback === undefined ? question : `${question} [${fallback}]`;
  for (;;) {
    const answer = (await readLine(`${shown}: `, invocation)).trim() || fallback;
    if (answer !== undefined && answer !== '') return answer;
  }
}

/** Asks for a secret with echo off (B65). */
export async function askHidden(question: string, flag: string, invocation: Invocation): Promise<string> {
  requireTerminal(flag, invocation);
  const answer = await readLine(`${question}: `, invocation, true);
  if (answer.trim() === '') throw new AuthError('no key was entered');
  return answer.trim();
}

/** Asks for a yes; `--yes` is one (B54). Throws for a no, which is also the answer of an empty line (B56, B59). */
export async function confirm(question: string, invocation: Invocation): Promise<void> {
  if (invocation.global.yes) return;
  requireTerminal('--yes', invocation);
  const answer = (await readLine(`${question} [y/N] `, invocation)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new FailedError('aborted: nothing was changed');
}

/** Asks to type a number, for what cannot be undone by the hundred (B56). */
export async function confirmCount(question: string, count: number, invocation: Invocation): Promise<void> {
  if (invocation.global.yes) return;
  requireTerminal('--yes', invocation);
  let answer = (await readLine(`${question} Type ${count} to continue: `, invocation)).trim().toLowerCase();
  // Who is used to y has not said no.
  if (answer === 'y' || answer === 'yes') answer = (await readLine(`Type the number ${count}, not y: `, invocation)).trim();
  if (answer.replaceAll(',', '') !== String(count)) throw new FailedError('aborted: nothing was changed');
}

function requireTerminal(flag: string, invocation: Invocation): void {
  if (canAsk(invocation)) return;
  throw new UsageError(`${flag} required when not running interactively`, { hint: `add ${flag} to the command` });
}

/** One line of the terminal; a hidden one raw, because only so echo can be off. */
async function readLine(question: string, invocation: Invocation, hidden = false): Promise<string> {
  const { system, streams } = invocation;
  const { stderr } = system;
  const stdin = keyboard(invocation) ?? system.stdin;
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
