import { flagText, shellWord } from '../base/quoted.ts';
import { type LinkKey, linkText } from '../contract/link.ts';
import { onDomain } from './subject.ts';

/** The command that shows these links, of which there is at least one. */
export function linksCommand(links: readonly LinkKey[], name: 'list' | 'stats' = 'list'): string {
  const [domain, ...others] = new Set(links.map((link) => link.domain));
  const names = links.map(others.length > 0 ? linkText : ({ hash }) => hash).map(shellWord);
  return `linkctl ${name}${others.length > 0 ? '' : onDomain(domain)} -- ${names.join(' ')}`;
}

/**
 * The command that shows the links with the destinations of these items, whose hashes are not known, however many links others made since: all whose long
 * URLs contain what these begin with.
 */
export function destinationsCommand(items: readonly object[], domain: string | undefined): string {
  const longUrls = items.map((item) => ('long_url' in item ? String(item.long_url) : ''));
  const start = commonStart(longUrls);
  const isOne = start !== '' && longUrls.every((longUrl) => longUrl === start);
  const search = isOne || /:\/\/./.test(start) ? ` ${flagText('--search', start)}` : '';
  return `linkctl list${onDomain(domain)}${search}${isOne ? '' : ' --all'}`;
}

function commonStart([first = '', ...others]: readonly string[]): string {
  let start = first;
  for (const other of others) while (!other.startsWith(start)) start = start.slice(0, -1);
  // Half of a character would be found nowhere.
  return start.replace(/[\ud800-\udbff]$/, '');
}
