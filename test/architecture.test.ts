import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

/** What each room of `src` may import, beside itself: whole rooms, or single files of one. Of a room with rooms inside only its own files are its front door. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: [],
  link: ['base', 'contract'],
  files: ['base'],
  service: ['base/group-by.ts', 'base/times.ts', 'contract', 'files/sqlite.ts', 'output/qr.ts'],
  client: ['base', 'contract', 'files'],
  history: ['base', 'contract', 'files'],
  check: ['base', 'client', 'contract', 'link'],
  input: ['base', 'contract', 'files', 'link'],
  output: ['base', 'contract', 'files', 'link'],
  report: ['base', 'check/verdict.ts', 'contract', 'history', 'output'],
  profiles: ['base', 'contract', 'files'],
  flags: ['base', 'contract', 'input', 'link'],
  help: ['base', 'contract', 'flags', 'output/printed-commands.ts'],
  completion: ['base', 'bulk/past-runs/run-names.ts', 'contract', 'files', 'help', 'profiles'],
  bulk: ['base', 'check', 'client', 'contract', 'files', 'history/noted-changes.ts', 'link'],
  select: ['base', 'cli/invocation.ts', 'cli/session.ts', 'client', 'contract', 'flags', 'input', 'link', 'output'],
  change: [
    'base',
    'bulk',
    'cli/interruption.ts',
    'cli/invocation.ts',
    'cli/prompt.ts',
    'cli/session.ts',
    'client',
    'contract',
    'files',
    'flags',
    'history/noted-changes.ts',
    'input',
    'link',
    'output',
    'select',
  ],
  commands: [
    'base',
    'bulk',
    'change',
    'check',
    'cli/interruption.ts',
    'cli/invocation.ts',
    'cli/prompt.ts',
    'cli/runner.ts',
    'cli/session.ts',
    'client',
    'completion',
    'contract',
    'files',
    'flags',
    'help',
    'history',
    'input',
    'link',
    'output',
    'profiles',
    'report',
    'select',
    'service',
  ],
  cli: [
    'base',
    'client',
    'commands',
    'completion',
    'contract',
    'files',
    'flags',
    'help',
    'input',
    'output',
    'profiles',
    'service/open-service.ts',
  ],
};

/** Rooms and files inside a room that others use all the same. */
const sideDoors: readonly string[] = [
  'bulk/check-runs',
  'bulk/operations',
  'bulk/past-runs',
  'bulk/results',
  'change/decide',
  'change/plan',
  'change/rows',
  'change/tags',
  'link/rules',
];

/** The project's own imports of each file, type imports and dynamic ones included. */
const imports = new Map(
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(source, path), 'utf8');
      const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
        relative(source, join(source, dirname(path), match[1] as string)),
      );
      return [path, found.filter((target) => !target.startsWith('..'))];
    }),
);

const roomOf = (path: string): string => path.split(sep)[0] as string;
const isInner = (path: string): boolean => path.split(sep).length > 2;

test('a file imports only what its room may import, through the front door', () => {
  const broken = [...imports].flatMap(([path, targets]) =>
    targets
      .filter((target) => roomOf(target) !== roomOf(path))
      .filter((target) => {
        const allowed = rooms[roomOf(path)]?.some((room) => room === roomOf(target) || room === target);
        return !allowed || (isInner(target) && !sideDoors.some((door) => target === door || dirname(target) === door));
      })
      .map((target) => `src/${path} imports src/${target}`),
  );
  expect(broken).toEqual([]);
});

test('every door of the table is used', () => {
  const used = [...imports].flatMap(([path, targets]) =>
    targets
      .filter((target) => roomOf(target) !== roomOf(path))
      .flatMap((target) => [`${roomOf(path)}: ${roomOf(target)}`, `${roomOf(path)}: ${target}`, target, dirname(target)]),
  );
  const doors = [
    ...Object.entries(rooms).flatMap(([room, targets]) => targets.map((target) => `${room}: ${target}`)),
    ...sideDoors,
  ];
  expect(doors.filter((door) => !used.includes(door))).toEqual([]);
});

test('a folder has at most 16 files beside each other, but for the table of commands', () => {
  const sizes = new Map<string, number>();
  for (const path of imports.keys()) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  expect([...sizes].filter(([folder, files]) => files > 16 && folder !== 'commands')).toEqual([]);
});

const commandFiles = imports.get(join('cli', 'command-table.ts')) ?? [];
const isCommand = (path: string): boolean => roomOf(path) === 'commands' && commandFiles.includes(path);

test('no command imports another command', () => {
  const broken = [...imports]
    .filter(([path]) => isCommand(path))
    .flatMap(([path, targets]) => targets.filter((target) => isCommand(target)).map((target) => `${path} imports ${target}`));
  expect(broken).toEqual([]);
});

test('imports make no circle', () => {
  const finished = new Set<string>();
  const visit = (path: string, way: readonly string[]): string | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path].join(' -> ');
    if (finished.has(path)) return undefined;
    for (const target of imports.get(path) ?? []) {
      const circle = visit(target, [...way, path]);
      if (circle) return circle;
    }
    finished.add(path);
    return undefined;
  };
  expect([...imports.keys()].map((path) => visit(path, [])).filter(Boolean)).toEqual([]);
});

test('R-21: only system.ts touches the process, and nothing uses the console', () => {
  const broken = [...imports.keys()].filter((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    return /\bconsole\./.test(text) || (path !== 'base/system.ts' && /\bprocess\.[a-z]/.test(text));
  });
  expect(broken).toEqual([]);
});

test('no test file overrides a fixture outside describe, which would hold for every later file of its worker', () => {
  const broken = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => /^\S[^'"`]*\.override\(/m.test(readFileSync(join(import.meta.dirname, name), 'utf8')));
  expect(broken).toEqual([]);
});

test('nothing is at the top but what it is for', () => {
  const wanted = [
    'bin',
    'completions',
    'src',
    'test',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
  ];
  // Not part of the project: what is installed and built.
  const made = ['dist', 'node_modules'];
  const found = readdirSync(join(source, '..')).filter((name) => !name.startsWith('.'));
  expect(found.filter((name) => !wanted.includes(name) && !made.includes(name))).toEqual([]);
});

test('E3: no test is judged by how long it takes, but those of the service whose promise is a time', () => {
  const promised = [
    'service/conventions.test.ts',
    'service/postgres-locks.test.ts',
    'service/postgres-network.test.ts',
    'service/postgres.test.ts',
    'service/sqlite-locks.test.ts',
  ];
  const timed = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !promised.includes(name))
    .filter((name) => /(?:performance|Date)\.now\(\) - started/.test(readFileSync(join(import.meta.dirname, name), 'utf8')));
  expect(timed).toEqual([]);
});
