import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

/** Who may import whom. A layer is a folder of `src/`, or a file at its top. */
const layers: Record<string, readonly string[]> = {
  contract: [],
  errors: [],
  system: [],
  version: [],
  unicode: [],
  files: ['errors', 'system'],
  service: ['contract'],
  client: ['contract', 'errors', 'files', 'system'],
  input: ['contract', 'errors', 'files', 'system', 'unicode'],
  output: ['contract', 'errors', 'files', 'system'],
  profiles: ['contract', 'errors', 'files', 'system', 'unicode'],
  flags: ['contract', 'errors', 'input', 'system'],
  help: ['contract', 'errors', 'flags'],
  bulk: ['client', 'contract', 'errors', 'files', 'input', 'system', 'unicode'],
  changes: [
    'action',
    'context',
    'bulk',
    'client',
    'contract',
    'errors',
    'flags',
    'input',
    'output',
    'prompt',
    'session',
    'system',
  ],
  login: ['action', 'context', 'client', 'contract', 'errors', 'input', 'output', 'profiles', 'prompt'],
  prompt: ['errors', 'flags', 'output', 'system'],
  session: ['client', 'contract', 'errors', 'files', 'flags', 'profiles', 'service', 'system', 'version'],
  deadline: ['client', 'errors', 'system'],
  signals: ['output', 'system'],
  context: ['client', 'contract', 'deadline', 'errors', 'files', 'flags', 'input', 'output', 'session', 'signals', 'system'],
  action: ['context', 'output', 'system', 'version'],
  runner: ['action', 'context', 'errors', 'flags', 'output', 'session', 'system'],
  'qr-pictures': ['action', 'context', 'errors', 'files', 'flags', 'output', 'session'],
  commands: [
    'action',
    'context',
    'bulk',
    'changes',
    'client',
    'completion',
    'contract',
    'errors',
    'files',
    'flags',
    'help',
    'input',
    'login',
    'output',
    'profiles',
    'prompt',
    'qr-pictures',
    'service',
    'session',
    'system',
    'version',
  ],
  completion: ['contract', 'files', 'help', 'profiles', 'system', 'unicode'],
  entries: ['action', 'commands'],
  program: ['action', 'entries', 'flags', 'help', 'runner', 'system', 'version'],
  pages: ['action', 'help', 'program', 'system'],
  main: ['action', 'errors', 'completion', 'help', 'pages', 'program', 'system'],
};

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

const layerOf = (path: string): string => (path.split(sep)[0] as string).replace(/\.ts$/, '');

test('a file imports only what its layer may import', () => {
  const broken = [...imports].flatMap(([path, targets]) =>
    targets
      .filter((target) => layerOf(target) !== layerOf(path) && !layers[layerOf(path)]?.includes(layerOf(target)))
      .map((target) => `src/${path} imports src/${target}`),
  );
  expect(broken).toEqual([]);
});

test('no command imports another command', () => {
  const broken = [...imports]
    .filter(([path]) => layerOf(path) === 'commands')
    .flatMap(([path, targets]) =>
      targets.filter((target) => layerOf(target) === 'commands').map((target) => `${path} imports ${target}`),
    );
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
    return /\bconsole\./.test(text) || (path !== 'system.ts' && /\bprocess\.[a-z]/.test(text));
  });
  expect(broken).toEqual([]);
});
