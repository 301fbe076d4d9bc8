import { test as base } from '../support/linkctl.ts';
import { openTerminal, type Terminal, type TerminalOptions } from '../support/terminal.ts';

type Open = (argv: readonly string[], options?: Partial<TerminalOptions>) => Terminal;

interface Fixtures {
  /** The built program on a terminal, with the credentials of the test's service; gone with the test. */
  open: Open;
}

export const test = base.extend<Fixtures>({
  open: async ({ env }, use) => {
    const terminals: Terminal[] = [];
    await use((argv, options = {}) => {
      const terminal = openTerminal(argv, { ...options, env: { ...env, ...options.env } });
      terminals.push(terminal);
      return terminal;
    });
    for (const terminal of terminals) terminal.close();
  },
});
