import { AuthError, FailedError, InterruptedError, UsageError } from '../base/errors.ts';
import type { InputStream, System } from '../base/system.ts';
import { grouped } from '../output/quantity.ts';
import { type Invocation, isSet } from './invocation.ts';

/** True if input and stderr are terminals and no flag or variable forbids questions. */
export function canAsk(invocation: Invocation): boolean {
  const { env, stderr } = invocation.system;
  const forbidden = invocation.global.input === false || isSet(env.LINKCTL_NO_INPUT) || Boolean(env.CI);
  const from = keyboard(invocation);
  return !forbidden && stderr.isTTY === true && from?.isTTY === true && !from.readableEnded;
}

/** If stdin is the input of the command, answers come from the terminal itself. */
function keyboard({ system, stdinIsInput }: Invocation): InputStream | undefined {
  return stdinIsInput ? system.terminal() : system.stdin;
}

/** An empty answer means `fallback`. Errors name `flag` as the alternative. */
export async function ask(question: string, flag: string, invocation: Invocation, fallback?: string): Promise<string> {
  requireTerminal(flag, invocation);
  const shown = fallback === undefined ? question : `${question} [${fallback}]`;
  for (;;) {
    const answer = (await readLine(`${shown}: `, invocation)).trim() || fallback;
    if (answer !== undefined && answer !== '') return answer;
  }
}

/** Reads without echo. */
export async function askHidden(question: string, flag: string, invocation: Invocation): Promise<string> {
  requireTerminal(flag, invocation);
  const answer = await readLine(`${question}: `, invocation, true);
  if (answer.trim() === '') throw new AuthError('no key was entered');
  return answer.trim();
}

/** `--yes` answers the question. Throws unless the answer is yes. */
export async function confirm(question: string, invocation: Invocation): Promise<void> {
  if (invocation.global.yes) return;
  requireTerminal('--yes', invocation);
  const answer = (await readLine(`${question} [y/N] `, invocation)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new FailedError('aborted: nothing was changed');
}

/** Asks for the number of links, because a reflexive y must not change hundreds of them. */
export async function confirmCount(question: string, count: number, invocation: Invocation): Promise<void> {
  if (invocation.global.yes) return;
  requireTerminal('--yes', invocation);
  let answer = (await readLine(`${question} Type ${count} to continue: `, invocation)).trim().toLowerCase();
  // A reflexive y is not a refusal, so the question is repeated once.
  if (answer === 'y' || answer === 'yes') answer = (await readLine(`Type the number ${count}, not y: `, invocation)).trim();
  if (answer !== String(count) && answer !== grouped(count)) throw new FailedError('aborted: nothing was changed');
}

export function requireTerminal(flag: string, invocation: Invocation): void {
  if (canAsk(invocation)) return;
  throw new UsageError(`${flag} required when not running interactively`, { hint: `add ${flag} to the command` });
}

/** A hidden line is read in raw mode, the only way to disable echo. */
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
    // An open terminal would keep the process alive and swallow input of the next program.
    if (stdin !== system.stdin) stdin.destroy();
  }
}

/** Reads by events: leaving an iterator or a `readline` interface loses input for the next question. */
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
      // In raw mode Ctrl-C and Ctrl-D arrive as characters.
      if (typed[at] === '\u0004') {
        leave();
        return;
      }
      if (typed[at] === '\u0003') {
        system.stderr.write('\ninterrupted\n');
        system.dieOf('SIGINT');
        settle(() => reject(new InterruptedError('SIGINT')));
        return;
      }
      const ahead = typed.slice(at + 1);
      settle(() => resolve(rubbedOut(typed.slice(0, at))));
      // Only now: a stream that flows would give it to this listener again.
      if (ahead !== '') stdin.unshift(Buffer.from(ahead));
    };
    stdin.on('data', take).on('end', leave).on('close', leave).resume();
  });
}

/** In raw mode backspace arrives as a character. */
function rubbedOut(typed: string): string {
  const letters: string[] = [];
  for (const letter of typed) {
    if (letter === '\u007f' || letter === '\b') letters.pop();
    else letters.push(letter);
  }
  return letters.join('');
}
