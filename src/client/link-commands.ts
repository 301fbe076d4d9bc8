import { shellWord } from '../base/quoted.ts';
import { type LinkKey, linkText } from '../contract/link.ts';
import { onDomain } from './subject.ts';

/** The command that shows these links, of which there is at least one. */
export function linksCommand(links: readonly LinkKey[], name: 'list' | 'stats' = 'list'): string {
  const [domain, ...others] = new Set(links.map((link) => link.domain));
  const names = links.map(others.length > 0 ? linkText : ({ hash }) => hash).map(shellWord);
  return `linkctl ${name}${others.length > 0 ? '' : onDomain(domain)} -- ${names.join(' ')}`;
}

/** The command that shows links whose hashes are not known yet. */
export function newestCommand(count: number, domain: string | undefined): string {
  return `linkctl list${onDomain(domain)} --limit ${Math.max(1, count)}`;
}
