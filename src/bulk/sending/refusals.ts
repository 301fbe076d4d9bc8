import { type CliError, LimitError, UnavailableError } from '../../base/errors.ts';

/** The account can have no more links. */
export function linksUsedUp(): CliError {
  return new LimitError('the account has reached its maximum number of links', {
    apiCode: 1220,
    hint: 'delete links or raise the limit, then run the same command again',
  });
}

/** Rows that the server refused in so many attempts; `cooling` of them because of its rate. */
export function notTaken(count: number, cooling: number, attempts: number): CliError {
  const hint = 'run the same command again later';
  return cooling > 0
    ? new UnavailableError(`the server still does not accept requests (${count} rows)`, { apiCode: 1219, hint })
    : new UnavailableError(`the server did not accept ${count} rows in ${attempts} attempts`, { hint });
}
