import { relativeDay, utcDay } from '../base/days.ts';
import { shellWord } from '../base/shell-word.ts';
import { failingStatuses } from '../check/verdict.ts';
import { type ReportFacts, soon } from './facts.ts';

/** The commands that print the complete lists, of which the page shows the first rows. */
export function wholeLists({ clicks: { asked }, madeAt, domain, edition }: ReportFacts) {
  const named = domain === undefined ? '' : ` --domain ${shellWord(domain)}`;
  const listed = named || (edition === 'a' ? ' --all-domains' : '');
  const clicks = `linkctl stats --since ${timeFlag(asked.since)} --until ${timeFlag(asked.until)}${named}`;
  const days = [`>=${utcDay(madeAt)}`, `<=${relativeDay(`+${soon}d`, madeAt)}`];
  const filters = days.map((bound) => ` --filter ${shellWord(`expiration_date${bound}`)}`).join('');
  return {
    links: `${clicks} -o csv`,
    tags: `${clicks} --by tag -o csv`,
    expiring: `linkctl list${listed}${filters} -o csv`,
    broken: `linkctl check${listed} --only ${failingStatuses.join(',')} -o csv`,
  };
}

function timeFlag(time: number): string {
  return new Date(time).toISOString().replace('.000', '');
}
