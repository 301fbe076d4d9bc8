import { type CliError, LimitError, UnavailableError } from '../../base/errors.ts';
import { linksUsedUpHint } from '../../client/api-messages.ts';

/** The account can have no more links. */
export function linksUsedUp(): CliError {
  const message = 'the account has reached its maximum number of links, in total or this month';
  return new LimitError(message, { apiCode: 1220, hint: linksUsedUpHint });
}

/** Rows that the server refused in so many attempts; `cooling` of them because of its rate. */
export function notTaken(count: number, cooling: number, attempts: number): CliError {
  const rows = `${count} ${count === 1 ? 'row' : 'rows'}`;
  const hint = 'run the same command again later';
  return cooling > 0
    ? new UnavailableError(`the server still does not accept requests (${rows})`, { apiCode: 1219, hint })
    : new UnavailableError(`the server did not accept ${rows} in ${attempts} attempts`, { hint });
}
