import { shellWord } from '../base/shell-word.ts';
import type { Subject } from './subject.ts';

interface Absence {
  readonly message: string;
  readonly hint: string;
}

/** A tag that does not exist, whether the server says so or its list. */
export function noTag({ label }: Pick<Subject, 'label'>): Absence {
  return { message: label === undefined ? 'no such tag' : `no tag "${label}"`, hint: 'linkctl tags' };
}

/** No link has the hash that was named, whether the server says so or its answer leaves the link out. */
export function noShortUrl({ hash, domain }: Pick<Subject, 'hash' | 'domain'>): Absence {
  // A hash is without a slash; before it is the domain that was named with it.
  const [name = '', place] = (hash ?? '').split('/').reverse();
  return {
    message: `no short URL ${hash === undefined ? 'with the given hashes' : `"${hash}"`}${domain ? ` on ${domain}` : ''}`,
    hint: name === '' ? 'linkctl list' : `linkctl list --search ${shellWord(name)}${place ? ` --domain ${place}` : ''}`,
  };
}
