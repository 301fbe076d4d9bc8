import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { argumentBehaviours } from './behaviours/arguments.ts';
import type { Behaviour } from './behaviours/behaviour.ts';
import { errorBehaviours, profileBehaviours, questionBehaviours } from './behaviours/errors.ts';
import { outputBehaviours, streamBehaviours } from './behaviours/output.ts';
import { completionBehaviours, networkBehaviours, placeBehaviours, runBehaviours } from './behaviours/runs.ts';
import { runProgram, runShell } from './support/built-program.ts';
import { sent, test } from './support/linkctl.ts';
import { openTerminal, type Terminal } from './support/terminal.ts';

/** Every behaviour of the command line, each run once by the built program over real HTTP. */
const behaviours: readonly Behaviour[] = [
  ...argumentBehaviours,
  ...outputBehaviours,
  ...streamBehaviours,
  ...errorBehaviours,
  ...questionBehaviours,
  ...profileBehaviours,
  ...networkBehaviours,
  ...runBehaviours,
  ...completionBehaviours,
  ...placeBehaviours,
];

const readme = join(import.meta.dirname, 'README.md');
const [opening, closing] = ['<!-- behaviours -->\n', '<!-- /behaviours -->'];

test('B1 to B98 are there, in order, and the README of the tests says the same of them', async () => {
  expect(behaviours.map(([number]) => number)).toEqual(Array.from({ length: 98 }, (_, index) => `B${index + 1}`));
  const lines = behaviours.map(([number, text, held]) =>
    typeof held === 'string' ? `- **${number}** ${text} (run by \`${held}\`)` : `- **${number}** ${text}`,
  );
  const page = readFileSync(readme, 'utf8');
  const [start, end] = [page.indexOf(opening) + opening.length, page.indexOf(closing)];
  await expect(`${page.slice(0, start)}\n${lines.join('\n')}\n\n${page.slice(end)}`, 'npm run generate').toMatchFileSnapshot(
    readme,
  );
});

test('a behaviour that another test runs names it there', () => {
  for (const [number, , held] of behaviours) {
    if (typeof held === 'string') expect(readFileSync(join(import.meta.dirname, '..', held), 'utf8')).toContain(`${number}`);
  }
});

test.for(behaviours.filter(([, , held]) => typeof held !== 'string'))(
  '%s: %s',
  async ([, , held], { env, homeEnv, folder, service, wire }) => {
    if (typeof held === 'string') return;
    const terminals: Terminal[] = [];
    try {
      await held({
        run: (argv, options = {}) => runProgram(argv, { ...env, ...options.env }, options.stdin),
        shell: (line, more) => runShell(line, { ...env, ...more }),
        open: (argv, { columns = 80, env: more } = {}) => {
          const terminal = openTerminal(argv, { env: { ...env, NO_COLOR: '1', ...more }, columns });
          terminals.push(terminal);
          return terminal;
        },
        calls: async () => (await sent(wire)).map(({ call }) => call),
        env,
        homeEnv,
        folder,
        service,
        wire,
      });
    } finally {
      for (const terminal of terminals) terminal.close();
    }
  },
);
