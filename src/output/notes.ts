import { safe } from '../base/safe-text.ts';
import { wrap } from '../base/wrap.ts';
import { printedCommand } from './printed-commands.ts';
import type { Streams } from './streams.ts';

/** Prints a note or a warning. On a terminal, lines break between words, but never inside a command, so that it can be pasted. */
export async function printNote(text: string, streams: Streams): Promise<void> {
  const whole = safe(streams.pasteable(text));
  for (const line of streams.watched ? wrapped(whole, streams.width('stderr')) : [whole]) await streams.message(line);
}

/** Breaks between words, but never inside a command. */
export function wrapped(text: string, width: number): string[] {
  const kept = text.replace(printedCommand, (command) => command.replaceAll(' ', '\0'));
  return wrap(kept, width).map((line) => line.replaceAll('\0', ' '));
}
