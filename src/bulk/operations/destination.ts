import type { RowOutcome } from '../results/row-outcome.ts';

type Row = Pick<RowOutcome, 'payload' | 'record'>;

/** Where the link of a row leads: as the row has it, or else as the server says. */
export function destinationOf(row: Row): string | undefined {
  return askedOf(row) ?? serversOf(row);
}

/** What the row does not say itself: an edit that leaves it alone. */
export function unaskedDestination(row: Row): string | undefined {
  return askedOf(row) === undefined ? serversOf(row) : undefined;
}

function askedOf({ payload }: Row): string | undefined {
  const { long_url }: { readonly long_url?: string } = payload;
  return long_url;
}

function serversOf({ record }: Row): string | undefined {
  return record?.long_url || undefined;
}
