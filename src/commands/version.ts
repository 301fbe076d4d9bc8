import type { Command } from 'commander';
import { version } from '../base/version.ts';
import type { Runner } from '../cli/run.ts';
import { describe } from '../help/description.ts';
import type { Report } from '../output/report.ts';

export function registerVersion(command: Command, run: Runner): void {
  describe(command, { examples: ['linkctl version'] });
  command.action(run(printVersion));
}

async function printVersion(): Promise<Report> {
  return { kind: 'text', text: `linkctl ${version}\n` };
}
