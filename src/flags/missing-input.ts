import { UsageError } from '../base/errors.ts';

interface Remedy {
  /** Without `linkctl`. */
  readonly command: string;
  /** The words after the command that would do, and an example of them. */
  readonly usage: string;
  readonly example: string;
}

/** `what` is `argument 'hash'` or `flag '--file'`. For the arguments that commander requires, `help/usage-error.ts` says the same. */
export function missingInput(what: string, { command, usage, example }: Remedy, hint = `linkctl ${command} --help`): UsageError {
  return new UsageError(`missing required ${what}`, {
    details: [`usage: linkctl ${command} ${usage}`, `example: linkctl ${command} ${example}`],
    hint,
  });
}
