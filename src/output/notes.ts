import { safe } from '../base/safe-text.ts';
import { wrap } from '../base/wrap.ts';
import { printedCommand } from './printed-commands.ts';
import type { Streams } from './streams.ts';

/** Prints a note or a warning. On a terminal, lines break between words, but never inside a command, so that it can be pasted. */
export async function printNote(text: string, streams: Streams): Promise<void> {
  const whole = safe(streams.pasteable(text));
  for (const line of streams.watched ? wrapped(whole, streams.width('stderr')) : [whole]) await streams.message(line);
}

/** Breaks between words, but never inside a command or what is `unbroken`. */
export function wrapped(text: string, width: number): string[] {
  return wrap(text.replace(printedCommand, unbroken), width).map((line) => line.replaceAll('\0', ' '));
}

/** For `wrapped`: stays on one line. */
export function unbroken(text: string): string {
  return text.replaceAll(' ', '\0');
}
