import { shellWord } from '../base/shell-word.ts';
import type { Subject } from './subject.ts';

interface Absence {
  readonly message: string;
  readonly hint: string;
}

export function noTag({ label }: Pick<Subject, 'label'>): Absence {
  return { message: label === undefined ? 'no such tag' : `no tag "${label}"`, hint: 'linkctl tags' };
}

export function noShortUrl({ hash, domain }: Pick<Subject, 'hash' | 'domain'>): Absence {
  // A hash contains no slash: the part before one is a domain.
  const [name = '', place] = (hash ?? '').split('/').reverse();
  return {
    message: `no short URL ${hash === undefined ? 'with the given hashes' : `"${hash}"`}${domain ? ` on ${domain}` : ''}`,
    hint: name === '' ? 'linkctl list' : `linkctl list --search ${shellWord(name)}${place ? ` --domain ${place}` : ''}`,
  };
}
