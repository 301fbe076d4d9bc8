import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { formats } from '../../src/flags/formats.ts';
import { type Linkctl, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';

const top = join(import.meta.dirname, '..', '..');
const documents = ['README.md', ...readdirSync(join(top, 'src', 'commands')).map((name) => join('src', 'commands', name))];

/** Every line that pipes what one command lists into another, as README and help have it. */
const pipes = [
  ...new Set(
    documents.flatMap((path) =>
      [
        ...readFileSync(join(top, path), 'utf8').matchAll(
          /linkctl (list [^|`"\n]*) \| linkctl ([^`"\n]*--hashes-from -[^`"\n…]*)/g,
        ),
      ]
        .filter(([line]) => !line.includes('…'))
        .map(([, from = '', to = '']) => `${from.trim()} | ${to.replace(/',?$/, '').trim()}`),
    ),
  ),
];

/** The words of a command line, as a shell has them. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

async function through(pipe: string, linkctl: Linkctl, env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const [from = '', to = ''] = pipe.split(' | ');
  const listed = await linkctl(words(from), { env });
  expect(listed.code).toBe(0);
  return await linkctl(words(to), { stdin: listed.stdout, env });
}

/** Links that a wrong reading of a list would take for others: named as heads are, and as values of JSON. */
const odd = ['hash', 'short_url', 'HASH', 'null', 'urls'];

/** Of each link whether the tag, or the word in its destination, selects it. */
function links(tags: readonly string[], bystander: boolean): object[] {
  return [
    ...['x', 'hash', 'null'].map((custom_hash) => ({ custom_hash, long_url: `https://nodejs.org/${custom_hash}`, tags })),
    ...(bystander ? [] : ['only', 'short_url'].map((custom_hash) => ({ custom_hash, long_url: 'https://nodejs.org/', tags }))),
    ...odd
      .filter((hash) => !['hash', 'null'].includes(hash) && (bystander || hash !== 'short_url'))
      .map((custom_hash) => ({ custom_hash, long_url: 'https://example.com/', tags: ['kept'] })),
  ];
}

const domainSets: readonly (readonly string[])[] = [['s.example'], ['s.example', 't.example']];

test('the README and the help have pipes to be tried', () => {
  expect(pipes.length).toBeGreaterThanOrEqual(3);
  for (const pipe of pipes) expect(pipe).not.toMatch(/--fields hash\b/);
  for (const pipe of pipes) if (pipe.includes('--search')) expect(pipe).not.toMatch(/--yes|-y\b/);
});

describe.each(domainSets)('domains %s %s', (...names) => {
  const domains = names.filter((name) => name !== undefined);
  test.override({ domains: domains.map((name) => ({ name })) });

  test.for(pipes.flatMap((pipe) => formats.map((format) => [pipe, format] as const)))(
    'D16, D17, D59: %s, by default as %s, ends with exactly the selected links changed',
    async ([pipe, format], { linkctl, service }) => {
      const expression = /--by-tags '?(\w+)/.exec(pipe)?.[1] ?? 'any';
      // On the last domain are the selected links, and what has the same hash on the first is none of them.
      const [first = '', last = first] = domains;
      if (last !== first) await store(service, links(['kept'], true), first);
      await store(service, links([expression], false), last);
      const isReading = pipe.includes('| stats') && !pipe.includes('--reset');
      const before = await snapshot(service, domains);
      const ran = await through(pipe, linkctl, { LINKCTL_OUTPUT: format });
      expect(ran).toMatchObject({ code: 0 });
      const after = await snapshot(service, domains);
      const changed = [...before].filter(([name, state]) => after.get(name) !== state).map(([name]) => name);
      const selected = ['x', 'hash', 'null', 'only', 'short_url'].map((hash) => `${last}/${hash}`);
      expect(changed.sort()).toEqual(isReading ? [] : selected.sort());
      expect([...after.keys()].filter((name) => !before.has(name))).toEqual([]);
    },
  );
});

/** Every link with all that can be changed of it. */
async function snapshot(service: Parameters<typeof stored>[0], domains: readonly string[]): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (const domain of domains)
    for (const record of await stored(service, domain)) all.set(record.short_url, JSON.stringify(record));
  return all;
}
