import type { Command } from 'commander';
import { LocalError } from '../base/errors.ts';
import { version } from '../base/version.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { isJson } from '../contract/formats.ts';
import { describe } from '../help/description.ts';
import { ownFile } from '../help/program-file.ts';
import type { Report } from '../output/report.ts';

export function register(command: Command, run: Runner): void {
  describe(command, { examples: ['linkctl version', 'linkctl version --licenses | less'], onlyReads: true });
  command.option('--licenses', 'print the licenses of everything inside the program');
  command.action(run(printVersion));
}

async function printVersion({ licenses }: { licenses?: boolean }, { format, global }: Invocation): Promise<Report> {
  if (isJson(format()) || global.fields !== undefined)
    return { kind: 'record', record: { version, ...(licenses && { licenses: licenseTexts() }) } };
  return { kind: 'text', text: licenses ? licenseTexts() : `linkctl ${version}\n` };
}

function licenseTexts(): string {
  try {
    return ownFile('licenses.txt');
  } catch (cause) {
    throw new LocalError('no licenses: they are collected by the build; npm ci builds it', { cause });
  }
}
