import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sent, sure, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

const inThrees = ['--batch-size', '3', '--concurrency', '1'];
const csv = (head: string, rows: readonly string[]) => [head, ...rows].join('\n');
const hashes = ['h0', 'h1', 'h2', 'h3', 'h4', 'none'];

interface Changing {
  readonly words: readonly string[];
  /** A command before it, whose run is `RUN`. */
  readonly after?: readonly string[];
  readonly file?: string;
}

/** Every command that changes links or tags. */
const commands: { readonly [name: string]: Changing } = {
  'shorten URL': { words: ['shorten', 'https://new.example/', '--note', 'n'] },
  'shorten -f': {
    words: ['shorten', '-f', 'FILE'],
    file: csv(
      'long_url',
      hashes.map((hash) => `https://new.example/${hash}`),
    ),
  },
  'shorten -f with hashes': {
    words: ['shorten', '-f', 'FILE'],
    file: csv(
      'long_url,custom_hash',
      hashes.map((hash) => `https://new.example/${hash},new${hash}`),
    ),
  },
  'shorten -f --on-conflict update': {
    words: ['shorten', '-f', 'FILE', '--on-conflict', 'update', ...inThrees],
    file: csv('long_url,custom_hash,note', [
      'https://new.example/,new1,n',
      'https://to.example/,h0,',
      'https://example.com/1,h1,other',
      'https://example.com/2,h2,old',
      'https://new.example/,new2,n',
    ]),
  },
  'edit one': { words: ['edit', 'h0', '--note', 'new', '--yes'] },
  'edit some': { words: ['edit', 'h0', 'h1', '--note', 'new', '--yes'] },
  'edit --hashes-from': {
    words: ['edit', '--hashes-from', 'FILE', '--note', 'new', '--yes', ...inThrees],
    file: hashes.join('\n'),
  },
  'edit -f': {
    words: ['edit', '-f', 'FILE', '--yes', ...inThrees],
    file: csv('hash,note', ['h0,new', 'h1,old', 'h2,new', 'none,new', 'h3,new', 'h4,new']),
  },
  'edit -f --no-undo': {
    words: ['edit', '-f', 'FILE', '--yes', '--no-undo', ...inThrees],
    file: csv('hash,note', ['h0,new', 'h1,old', 'h2,new', 'none,new', 'h3,new', 'h4,new']),
  },
  'edit --filter': { words: ['edit', '--all', '--filter', 'note=old', '--note', 'new', ...sure, ...inThrees] },
  'delete one': { words: ['delete', 'h0', '--yes'] },
  'delete some': { words: ['delete', 'h0', 'h1', '--yes'] },
  'delete --hashes-from': { words: ['delete', '--hashes-from', 'FILE', '--yes', ...inThrees], file: hashes.join('\n') },
  'delete --by-tags': { words: ['delete', '--by-tags', 't', ...sure, ...inThrees] },
  'delete --by-tags --no-undo': { words: ['delete', '--by-tags', 't', '--no-undo', ...sure] },
  'stats --reset': { words: ['stats', '--reset', 'h0', 'h1', '--yes'] },
  rewrite: { words: ['rewrite', 'https://example.com', 'https://to.example', ...sure, ...inThrees] },
  apply: {
    words: ['apply', '-f', 'FILE', ...sure, ...inThrees],
    file: csv('hash,long_url,note', [
      'h0,https://example.com/0,new',
      'h1,https://example.com/1,old',
      'new,https://new.example/,n',
      'new2,https://new.example/,n',
      'h2,https://to.example/,new',
      'h3,https://example.com/3,new',
    ]),
  },
  'tags delete': { words: ['tags', 'delete', 't', ...sure] },
  'tags merge': { words: ['tags', 'merge', 't', '--into', 'new', ...sure] },
  'tags rename': { words: ['tags', 'rename', 't', 'new'] },
  'tags add': { words: ['tags', 'add', 'new', 'other'] },
  'undo of a rewrite': {
    after: ['rewrite', 'https://example.com', 'https://to.example', ...sure],
    words: ['undo', 'RUN', '--yes', ...inThrees],
  },
  'undo of delete': { after: ['delete', 'h0', 'h3', '--yes'], words: ['undo', 'RUN', '--yes'] },
  'undo of tags delete': { after: ['tags', 'delete', 't', ...sure], words: ['undo', 'RUN', '--yes'] },
  'undo of tags merge': { after: ['tags', 'merge', 't', '--into', 'new', ...sure], words: ['undo', 'RUN', '--yes'] },
  'undo of tags rename': { after: ['tags', 'rename', 't', 'new'], words: ['undo', 'RUN', '--yes'] },
  'undo of tags add': { after: ['tags', 'add', 'new', 'other'], words: ['undo', 'RUN', '--yes'] },
};

describe.each([
  ['a', undefined],
  ['a', [{ name: 's.ex' }, { name: 't.ex' }]],
  ['b', undefined],
] as const)('edition %s, domains %j', (edition, domains) => {
  test.override({ edition, domains: domains && [...domains] });

  test.for(Object.entries(commands))(
    'E21: %s: the requests of a dry run are those that are sent',
    async ([, { words, after, file }], { linkctl, service, wire, folder, env }) => {
      await store(service, numbered(5, { note: 'old', tags: ['t'] }));
      const path = join(folder, 'file.csv');
      if (file !== undefined) writeFileSync(path, file);
      // Bare hashes in a file need a domain where there are several.
      const world = { env: { ...env, ...(domains && file !== undefined && { LINKCTL_DOMAIN: 's.ex' }) } };
      if (after) expect(await linkctl(after, world)).toMatchObject({ code: 0 });
      const run = after && JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout).runs[0].run;
      const given = words.map((word) => (word === 'FILE' ? path : word === 'RUN' ? run : word));
      const dry = await linkctl([...given, '-n', '-o', 'json'], world);
      expect(dry.code, dry.stderr).toBe(0);
      const planned = JSON.parse(dry.stdout).requests;
      const before = (await sent(wire)).length;
      const ran = await linkctl(given, world);
      expect([0, 3], ran.stderr).toContain(ran.code);
      const made = (await sent(wire)).slice(before).filter(({ call }) => !call.startsWith('GET'));
      const shown = planned.map(
        ({ method, path: at, query, body }: { method: string; path: string; query: object; body: unknown }) => {
          const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
          return {
            call: [`${method} ${decodeURIComponent(at)}`, ...(search.length > 0 ? [search.join('&')] : [])].join('?'),
            body: body ?? undefined,
          };
        },
      );
      expect(shown.map(normal)).toEqual(made.map(normal));
    },
  );
});

test('E21: the first dry run shows the row that is sent twice to test the server, later ones do not', async ({
  linkctl,
  folder,
}) => {
  const planned = async (file: string): Promise<string[][]> => {
    const { requests } = JSON.parse((await linkctl(['shorten', '-f', file, '-n', '-o', 'json'])).stdout);
    return requests.map(({ body }: { body: { urls: { custom_hash: string }[] } }) => body.urls.map((row) => row.custom_hash));
  };
  const [file, other] = [join(folder, 'file.csv'), join(folder, 'other.csv')];
  writeFileSync(file, csv('long_url,custom_hash', ['https://new.example/1,n1', 'https://new.example/2,n2']));
  writeFileSync(other, csv('long_url,custom_hash', ['https://new.example/3,n3', 'https://new.example/4,n4']));
  expect(await planned(file)).toEqual([['n1'], ['n1'], ['n2']]);
  expect(await linkctl(['shorten', '-f', file])).toMatchObject({ code: 0 });
  expect(await planned(other)).toEqual([['n3', 'n4']]);
});

/** The order of parameters means nothing. */
function normal({ call, body }: { call: string; body: unknown }) {
  const [at = '', search = ''] = call.split('?');
  return { at, search: search.split('&').sort(), body };
}
