import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { wholeTree } from '../../src/cli/program.ts';
import type { UrlRecord } from '../../src/contract/records.ts';
import type { CommandTree } from '../../src/help/command-tree.ts';
import { topicNames } from '../../src/help/stored-tree.ts';
import { topicText } from '../../src/help/topics.ts';
import { apiKey, test as base, type Linkctl, runnerIn, username } from '../support/linkctl.ts';
import { call, destinations, oddHashes, seed, store, stored, visit } from '../support/stored-links.ts';

/** D59: every pipe that people are shown, under every default format, on one domain and on two. */
const root = join(import.meta.dirname, '..', '..');

/** A pipe into the program, as it is written somewhere. */
interface Pipe {
  readonly place: string;
  readonly line: string;
}

const pipes = await collectPipes();

/** What stands in the places of `…` and of `${…}`. */
const fillings: readonly [RegExp, string][] = [
  [/--by-tags (?:…|\$\{[^}]*\}|<expression>)/, '--by-tags promo'],
  [/(linkctl edit .*) (?:…|\$\{[^}]*\})$/, '$1 --add-tag changed'],
];

async function collectPipes(): Promise<Pipe[]> {
  const found: Pipe[] = [];
  const collect = (place: string, text: string): void => {
    for (const line of text.split('\n')) if (/(?<!\|)\| *linkctl /.test(line)) found.push({ place, line: line.trim() });
  };
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  for (const [, block = ''] of readme.matchAll(/```[a-z]*\n([\s\S]*?)```/g)) collect('README.md', block);
  const visitCommand = ({ line, examples, commands }: CommandTree): void => {
    collect(`${line} --help`, examples.join('\n'));
    commands.forEach(visitCommand);
  };
  visitCommand(await wholeTree());
  for (const name of topicNames) collect(`linkctl help ${name}`, topicText(name));
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const source = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, , text = ''] of source.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*\| *linkctl (?:\\.|(?!\1)[^\\\n])*)\1/g))
      collect(`src/${file}`, text.replace(/^.*?(?=linkctl [a-z]+ .*\| *linkctl)/, ''));
  }
  return found;
}

interface Parsed {
  readonly producer: readonly string[];
  readonly consumer: readonly string[];
}

/** The words of the last two stages, as a shell would make them. */
function parse({ line }: Pipe): Parsed {
  const filled = fillings.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line.replace(/ +#.*$/, ''));
  const stages: string[][] = [[]];
  for (const [, bare, single, double, bar] of filled.matchAll(/([^\s'"|]+)|'([^']*)'|"([^"]*)"|(\|)/g)) {
    if (bar) stages.push([]);
    else stages.at(-1)?.push(bare ?? single ?? double ?? '');
  }
  const [producer = [], consumer = []] = stages.slice(-2);
  return { producer, consumer };
}

const parsed = new Map(pipes.map((pipe) => [pipe.line, parse(pipe)]));
const betweenCommands = [...parsed].filter(([, { producer }]) => producer[0] === 'linkctl');
const fromElsewhere = [...parsed].filter(([, { producer, consumer }]) => producer[0] !== 'linkctl' && consumer[1] !== 'auth');

/** How people have set what a listing looks like in a pipe. */
const formats: Record<
  string,
  { readonly env?: Record<string, string>; readonly config?: string; readonly flags?: readonly string[] }
> = {
  'nothing set': {},
  ...Object.fromEntries(
    ['table', 'json', 'jsonl', 'csv', 'tsv'].map((name) => [`LINKCTL_OUTPUT=${name}`, { env: { LINKCTL_OUTPUT: name } }]),
  ),
  'config set output csv': { config: 'csv' },
  'config set output json': { config: 'json' },
  '--header': { flags: ['--header'] },
  'LINKCTL_OUTPUT=csv --no-header': { env: { LINKCTL_OUTPUT: 'csv' }, flags: ['--no-header'] },
};

const test = base.extend<{ home: Linkctl }>({
  home: async ({ homeEnv, wire }, use) => {
    const home = runnerIn(homeEnv);
    const argv = ['auth', 'login', '--profile', 'work', '--base-url', wire.baseUrl, '--username', username, '--with-key'];
    expect(await home(argv, { stdin: `${apiKey}\n` })).toMatchObject({ code: 0 });
    await use(home);
  },
});

test('D16, D20: README, help and hints show pipes; none pipes bare hashes, or what a search found, into a change', () => {
  expect(betweenCommands.length).toBeGreaterThanOrEqual(2);
  expect(pipes.map(({ place }) => place)).toContain('README.md');
  for (const [, { producer, consumer }] of parsed)
    expect([producer[0] ?? '', consumer[0]]).toEqual([expect.any(String), 'linkctl']);
  for (const [line, { consumer }] of betweenCommands) {
    expect(line).not.toMatch(/--fields hash\b/);
    if (line.includes('--search'))
      expect(isReading(consumer) || consumer.includes('-n') || consumer.includes('--dry-run')).toBe(true);
  }
});

describe.each<[string, readonly string[]]>([
  ['one domain', ['s.ex']],
  ['two domains', ['s.ex', 'go.ex']],
])('%s', (_name, domains) => {
  test.override({ domains: domains.map((name) => ({ name })) });

  describe.each(betweenCommands)('%s', (_line, { producer, consumer }) => {
    test.for(Object.entries(formats))(
      'D16, D17, D59: %s: exactly the selected links are changed',
      async ([, format], { home, service, habits }) => {
        await prepare(service, producer, domains);
        if (format.config) await home(['config', 'set', 'output', format.config]);
        const before = await account(service, domains);
        const selected = await selection(service, producer);
        const env = format.env ?? {};
        const listed = await home([...producer.slice(1), ...(format.flags ?? [])], { env });
        // What is only read is shown in JSON, so that it can be told apart.
        const shown = isReading(consumer) ? ['--json'] : [];
        const ran = await home([...consumer.slice(1), ...shown], { env, stdin: listed.stdout });
        const changed = changedLinks(before, await account(service, domains));
        expect({ codes: [listed.code, ran.code], changed, told: listed.stderr + ran.stderr }).toEqual({
          codes: [0, 0],
          changed: isReading(consumer) ? [] : selected,
          told: expect.any(String),
        });
        const plain = habits?.plain(ran.stdout) ?? ran.stdout;
        if (isReading(consumer)) expect(printedLinks(plain)).toEqual(selected);
      },
    );
  });
});

test.for(fromElsewhere)(
  'D59: %s: the links that came are made, each once',
  async ([, { producer, consumer }], { home, service }) => {
    const urls =
      producer[0] === 'printf'
        ? producer.slice(2).map((word) => `https://example.com/${word}`)
        : ['https://a.example/1', 'https://a.example/2'];
    const ran = await home(consumer.slice(1), { stdin: `${urls.join('\n')}\n` });
    expect(ran.code).toBe(0);
    expect(await destinations(service)).toEqual(urls.sort());
  },
);

function isReading(consumer: readonly string[]): boolean {
  return consumer[1] === 'list' || (consumer[1] === 'stats' && !consumer.includes('--reset'));
}

/** Of records in JSON. */
function printedLinks(stdout: string): string[] {
  return (Object.values(JSON.parse(stdout)).find(Array.isArray) ?? []).map(({ short_url }: UrlRecord) => short_url).sort();
}

interface Service {
  readonly baseUrl: string;
  readonly origin: string;
}

function flagOf(argv: readonly string[], name: string): string | undefined {
  const position = argv.indexOf(name);
  return position < 0 ? undefined : argv[position + 1];
}

/**
 * More links than a page of a terminal that the pipe selects, on the default domain and with labels on all; the same hashes lead
 * elsewhere on the other domain; and links whose hash is the name of a column.
 */
async function prepare(service: Service, producer: readonly string[], domains: readonly string[]): Promise<void> {
  await seed(service, oddHashes.length + 10, domains);
  await store(service, [{ custom_hash: 'short_url', long_url: 'https://was.example/column' }]);
  const [search, tags] = [flagOf(producer, '--search'), flagOf(producer, '--by-tags')];
  const labels = tags?.match(/(?<![~-])\b[a-z]+\b/g) ?? [];
  for (const [nth, domain] of domains.entries()) {
    const links = Array.from({ length: 60 }, (_, index) => ({
      custom_hash: `pick${index}`,
      long_url: nth === 0 && search ? `https://${search}/${index}` : `https://elsewhere.example/${domain}/${index}`,
      tags: nth === 0 || index < 5 ? labels : [],
    }));
    await store(service, links, domain);
  }
  await visit(service, 'pick0');
}

/** What the listing selects, asked of the service itself. */
async function selection(service: Service, producer: readonly string[]): Promise<string[]> {
  const known = ['--search', '--by-tags', '--all', '--fields', '--domain', '-o', '--limit'];
  const unknown = producer.slice(2).filter((word) => word.startsWith('-') && !known.includes(word));
  expect({ producer, unknown }).toEqual({ producer, unknown: [] });
  const query = new URLSearchParams();
  for (const name of ['search', 'domain', 'limit'])
    if (producer.includes(`--${name}`)) query.set(name, flagOf(producer, `--${name}`) ?? '');
  if (producer.includes('--by-tags')) query.set('tags', flagOf(producer, '--by-tags') ?? '');
  const { urls } = await call<{ urls: UrlRecord[] }>(service, { path: `/urls?${query}` });
  return urls.map(({ short_url }) => short_url).sort();
}

async function account(service: Service, domains: readonly string[]): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (const domain of domains) {
    for (const { last_visit: _, ...record } of await stored(service, domain)) all.set(record.short_url, JSON.stringify(record));
  }
  return all;
}

function changedLinks(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((link) => before.get(link) !== after.get(link)).sort();
}
