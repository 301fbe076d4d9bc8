import type { OutputStream, System } from '../../base/system.ts';
import type { OutputOptions } from '../options.ts';

type Style = (text: string) => string;

/** The styles in use: four-bit colours, no background, no black or white (B96). */
export interface Paint {
  readonly bold: Style;
  readonly green: Style;
  readonly red: Style;
  readonly cyan: Style;
  readonly underline: Style;
}

const plain: Style = (text) => text;
const noPaint: Paint = { bold: plain, green: plain, red: plain, cyan: plain, underline: plain };

/** Whether a stream gets colour, in the order of B36; `colour` is the flag, else the profile's word. */
export function usesColour(stream: Pick<OutputStream, 'isTTY'>, { colour }: OutputOptions, env: System['env']): boolean {
  if (colour === 'always' || colour === 'never') return colour === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !['0', 'false'].includes(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true;
  if (env.CLICOLOR === '0' || env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

/** The styles of a stream. chalk is loaded only for colour, and its own detection is never asked (T2, T3). */
export async function createPaint(coloured: boolean): Promise<Paint> {
  if (!coloured) return noPaint;
  const { Chalk } = await import('chalk');
  const { bold, green, red, cyan, underline } = new Chalk({ level: 1 });
  return { bold, green, red, cyan, underline };
}
