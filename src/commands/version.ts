import type { Command } from 'commander';
import type { Runner } from '../action.ts';
import { describe } from '../help/layout.ts';
import type { Report } from '../output/report.ts';
import { version } from '../version.ts';

export function registerVersion(command: Command, run: Runner): void {
  describe(command, { examples: ['linkctl version'] });
  command.action(run(printVersion));
}

async function printVersion(): Promise<Report> {
  return { kind: 'text', text: `linkctl ${version}\n` };
}
