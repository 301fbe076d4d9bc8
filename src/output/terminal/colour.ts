import type { OutputStream, System } from '../../base/system.ts';
import type { OutputOptions } from '../output-options.ts';

type Style = (text: string) => string;

/** Only four-bit colours without background, black or white, so that they are readable on any theme. */
export interface Paint {
  readonly bold: Style;
  readonly green: Style;
  readonly red: Style;
  readonly cyan: Style;
  readonly underline: Style;
}

const plain: Style = (text) => text;
const noPaint: Paint = { bold: plain, green: plain, red: plain, cyan: plain, underline: plain };

/** Follows the flag or profile, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM. */
export function usesColour(stream: Pick<OutputStream, 'isTTY'>, { colour }: OutputOptions, env: System['env']): boolean {
  if (colour === 'always' || colour === 'never') return colour === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !['0', 'false'].includes(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true;
  if (env.CLICOLOR === '0' || env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

/** chalk is loaded only if colour is used. Its own detection ignores NO_COLOR and reads the command line, so it is not used. */
export async function createPaint(coloured: boolean): Promise<Paint> {
  if (!coloured) return noPaint;
  const { Chalk } = await import('chalk');
  const { bold, green, red, cyan, underline } = new Chalk({ level: 1 });
  return { bold, green, red, cyan, underline };
}
