import { expect, test } from 'vitest';
import { createPaint, usesColour } from '../../../src/output/terminal/colour.ts';

test.each([
  ['a terminal', undefined, {}, true, true],
  ['a pipe', undefined, {}, false, false],
  ['--color never on a terminal', 'never', { FORCE_COLOR: '1' }, true, false],
  ['--color always in a pipe, whatever NO_COLOR says', 'always', { NO_COLOR: '1' }, false, true],
  ['--color auto is no word', 'auto', { NO_COLOR: '1' }, true, false],
  ['NO_COLOR', undefined, { NO_COLOR: '1' }, true, false],
  ['NO_COLOR that is empty', undefined, { NO_COLOR: '' }, true, true],
  ['NO_COLOR beats FORCE_COLOR', undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['FORCE_COLOR in a pipe', undefined, { FORCE_COLOR: '3' }, false, true],
  ['FORCE_COLOR=0', undefined, { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, true, false],
  ['FORCE_COLOR=false', undefined, { FORCE_COLOR: 'false' }, true, false],
  ['FORCE_COLOR beats TERM=dumb', undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
  ['CLICOLOR_FORCE in a pipe', undefined, { CLICOLOR_FORCE: '1' }, false, true],
  ['CLICOLOR_FORCE=0', undefined, { CLICOLOR_FORCE: '0' }, false, false],
  ['CLICOLOR_FORCE beats CLICOLOR=0', undefined, { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, true, true],
  ['CLICOLOR=0', undefined, { CLICOLOR: '0' }, true, false],
  ['CLICOLOR=1 in a pipe', undefined, { CLICOLOR: '1' }, false, false],
  ['TERM=dumb', undefined, { TERM: 'dumb' }, true, false],
] as const)('B36: %s', (_, colour, env, isTTY, coloured) => {
  expect(usesColour({ isTTY }, { colour }, env)).toBe(coloured);
});

test('T2: the decision is ours alone: chalk colours where we say so, and nowhere else', async () => {
  expect((await createPaint(true)).red('x')).toBe('\u001b[31mx\u001b[39m');
  expect((await createPaint(false)).red('x')).toBe('x');
});
