import type { System } from '../../base/system.ts';
import type { Glyphs } from '../report.ts';

const unicode: Glyphs = { tick: '✓', cross: '✗', arrow: '→', ellipsis: '…', bar: '█', halves: true };
const ascii: Glyphs = { tick: 'OK', cross: 'x', arrow: '->', ellipsis: '...', bar: '#', halves: false };

/** ASCII where the terminal or the locale cannot show more (B96). A locale that nobody set says nothing. */
export function chooseGlyphs(env: System['env']): Glyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return env.TERM !== 'dumb' && /utf-?8/i.test(locale) ? unicode : ascii;
}
