import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredLink } from '../support/stored-links.ts';
import type { AccountState } from './account-state.ts';
import type { Dice } from './circumstances.ts';

/** One command that changes links of the default domain. */
export interface UndoableDeed {
  readonly name: string;
  readonly argv: readonly string[];
  /** Of its first change. */
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** It takes the links that match, so a link that no longer does is not its to change. */
  readonly selects: boolean;
}

/** The deed whose links are known by other hashes afterwards: nobody else is set upon them. */
export const moving = 'edit -f, hashes that move on';

/** The first line of a list that says one of these is its header: such a link is named by its short URL. */
const columnNames: ReadonlySet<string> = new Set(['hash', 'long_url', 'short_url', 'custom_hash', 'note', 'tags']);

/** The destinations that deeds move links between. */
export const [shop, store] = ['https://shop.example', 'https://store.example'];

/** An account that is worth changing: notes, labels, dates, and as many links again that nobody selects. */
export function storyLinks(count: number): object[] {
  const links = Array.from({ length: count }, (_, index) => ({
    custom_hash: `t${index}`,
    long_url: `${index % 4 === 3 ? store : shop}/p/${index}`,
    note: index % 2 ? `note ${index}` : '',
    tags: ['Kept', ...(index % 3 === 0 ? ['promo'] : []), ...(index % 5 === 0 ? ['Sale'] : [])],
    expiration_date: index % 7 === 0 ? '2099-12-31' : null,
  }));
  const others = links.map((_, index) => ({
    custom_hash: `other${index}`,
    long_url: `https://other.example/${index}`,
    tags: ['x'],
  }));
  return [...others, ...links];
}

/** `nth`: of the story, for values and files of its own. */
export function drawDeed(dice: Dice, account: AccountState, folder: string, nth: number): UndoableDeed {
  const links = [...account.values()].filter(({ hash }) => !hash.startsWith('other') && !columnNames.has(hash));
  const some = dice.of([1, 2, 5, 12]);
  const start = dice.pick(Math.max(1, links.length - some));
  const chosen = links.slice(start, start + some);
  const found = ['--yes', '--max-affected', '1000'];
  const file = (header: string, rows: readonly string[]): string => {
    const path = join(folder, `deed${nth}.csv`);
    writeFileSync(path, `${[header, ...rows].join('\n')}\n`);
    return path;
  };
  const note = `deed ${nth}`;
  const [from, to] = dice.chance(0.5) ? [shop, store] : [store, shop];
  const filter = ['--all', '--filter', `url^=${from}`];
  const small = ['--batch-size', '5', '--concurrency', '1'];
  const hashes = chosen.map(({ hash }) => hash);
  const deeds: readonly (() => UndoableDeed)[] = [
    () => ({
      name: 'edit --filter',
      argv: ['edit', ...filter, '--note', note, ...found, ...small],
      method: 'PATCH',
      selects: true,
    }),
    () => ({
      name: 'edit --by-tags',
      argv: ['edit', '--by-tags', 'promo', '--add-tag', `deed${nth}`, ...found, ...small],
      method: 'PATCH',
      selects: true,
    }),
    () => ({ name: 'rewrite', argv: ['rewrite', from, to, ...found, ...small], method: 'PATCH', selects: true }),
    () => ({
      name: 'delete --filter',
      argv: ['delete', ...filter, '--filter', 'hash^=t1', ...found, ...small],
      method: 'DELETE',
      selects: true,
    }),
    () => ({
      name: 'delete --by-tags',
      argv: ['delete', '--by-tags', 'sale', ...found, ...small],
      method: 'DELETE',
      selects: true,
    }),
    () => ({
      name: 'delete --hashes-from',
      argv: ['delete', '--hashes-from', file('# hashes', hashes), '--yes', ...small],
      method: 'DELETE',
      selects: false,
    }),
    () => ({
      name: 'edit -f',
      argv: [
        'edit',
        '-f',
        file(
          'hash,note,tags',
          hashes.map((hash) => `${hash},${note},"+deed${nth},-promo"`),
        ),
        ...small,
      ],
      method: 'PATCH',
      selects: false,
    }),
    () => ({
      name: moving,
      argv: ['edit', '-f', file('hash,custom_hash', renames(links.slice(0, 12))), ...small],
      method: 'PATCH',
      selects: false,
    }),
    () => ({
      name: 'shorten -f',
      argv: ['shorten', '-f', file('custom_hash,long_url', newRows(chosen, nth)), ...small],
      method: 'POST',
      selects: false,
    }),
    () => ({ name: 'shorten', argv: ['shorten', `https://new.example/${nth}`], method: 'POST', selects: false }),
    () => ({
      name: 'shorten --hash',
      argv: ['shorten', `https://new.example/${nth}`, '--hash', `made${nth}`],
      method: 'POST',
      selects: false,
    }),
    () => ({
      name: 'edit',
      argv: ['edit', hashes[0] ?? 't0', '--note', note, '--expires', '2098-01-01'],
      method: 'PATCH',
      selects: false,
    }),
    () => ({
      name: 'edit of several',
      argv: ['edit', ...hashes, '--add-tag', `deed${nth}`, '--yes'],
      method: 'PATCH',
      selects: false,
    }),
    () => ({ name: 'delete', argv: ['delete', ...hashes.slice(0, 2), '--yes'], method: 'DELETE', selects: false }),
    () => ({ name: 'tags rename', argv: ['tags', 'rename', 'sale', `sale${nth}`, '--yes'], method: 'PATCH', selects: false }),
    () => ({
      name: 'tags merge',
      argv: ['tags', 'merge', 'promo', '--into', dice.of(['kept', `new${nth}`]), ...found],
      method: 'PATCH',
      selects: false,
    }),
    () => ({ name: 'tags delete', argv: ['tags', 'delete', 'promo', ...found], method: 'PATCH', selects: false }),
  ];
  return dice.of(chosen.length > 0 ? deeds : deeds.slice(-9, -7))();
}

/** Each link takes the hash of the next, the last one a new hash: every row needs the end of the row above it. */
function renames(links: readonly StoredLink[]): string[] {
  return links.map(({ hash }, index) => `${hash},${links[index + 1]?.hash ?? `${hash}x`.slice(0, 25)}`).reverse();
}

/** New links, and rows that are equal to links that are there. */
function newRows(there: readonly StoredLink[], nth: number): string[] {
  const fresh = Array.from({ length: 8 }, (_, index) => `f${nth}-${index},https://new.example/${nth}/${index}`);
  return [...fresh.slice(0, 4), ...there.map(({ hash, long_url }) => `${hash},${long_url}`), ...fresh.slice(4)];
}
