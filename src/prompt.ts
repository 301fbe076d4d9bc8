import { AuthError, FailedError, UsageError } from './errors.ts';
import type { GlobalOptions } from './flags/globals.ts';
import type { Streams } from './output/streams.ts';
import type { System } from './system.ts';

/** Who asks: the streams that know of a progress line, and the flags that forbid asking. */
export interface Asker {
  readonly system: System;
  readonly global: GlobalOptions;
  readonly streams: Streams;
}

/** Whether a question may be asked at all (B54): both ends are terminals, and nothing says that nobody is there. */
export function canAsk({ system, global }: Asker): boolean {
  const { env, stdin, stderr } = system;
  const forbidden = global.input === false || isSet(env.LINKCTL_NO_INPUT) || Boolean(env.CI);
  return !forbidden && stdin.isTTY === true && stderr.isTTY === true;
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
  if (answer !== String(count)) throw new FailedError('aborted: nothing was changed');
}

function requireTerminal(flag: string, asker: Asker): void {
  if (!canAsk(asker)) throw new UsageError(`${flag} required when not running interactively`);
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}

/** One line of the terminal. Raw, because only so echo can be off and Ctrl-C can give the terminal back first. */
async function readLine(question: string, { system, streams }: Asker, hidden = false): Promise<string> {
  const { stdin, stderr } = system;
  streams.progress.clear();
  stderr.write(question);
  if (!hidden || !stdin.setRawMode) return await plainLine(stdin);
  stdin.setRawMode(true);
  try {
    return await rawLine(system);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

async function plainLine(stdin: System['stdin']): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: stdin });
  const line = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
  });
  lines.close();
  stdin.pause();
  if (line === undefined) throw new FailedError('aborted: nothing was changed');
  return line;
}

async function rawLine(system: System): Promise<string> {
  let text = '';
  for await (const chunk of system.stdin.iterator({ destroyOnReturn: false })) {
    for (const character of String(chunk)) {
      if (character === '\r' || character === '\n') return text;
      if (character === '\u0003') {
        system.stdin.setRawMode?.(false);
        system.stderr.write('\n');
        system.dieOf('SIGINT');
        throw new FailedError('interrupted');
      }
      if (character === '\u0004') throw new FailedError('aborted: nothing was changed');
      text = character === '\u007f' || character === '\b' ? text.slice(0, -1) : text + character;
    }
  }
  return text;
}
