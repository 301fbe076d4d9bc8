import type { Context } from './action.ts';
import type { Report } from './output/report.ts';

export async function shortenFile(_options: unknown, _context: Context): Promise<Report> {
  throw new Error('not yet');
}
