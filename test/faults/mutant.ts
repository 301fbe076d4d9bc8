import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const source = join(import.meta.dirname, '..', '..', 'src');

/** A text of a source file and what replaces it. */
type Replacement = readonly [file: string, text: string, instead: string];

/** What was not synced is gone when the process is killed, as when the power fails (F62). That alone does no harm. */
const forgetfulDisk: readonly Replacement[] = [
  ['bulk/journal/journal.ts', '  let position = size;\n', '  let position = size;\n  const unsynced: Uint8Array[] = [];\n'],
  [
    'bulk/journal/journal.ts',
    '    async append(bytes) {\n',
    '    async append(bytes) {\n      unsynced.push(bytes);\n    },\n    async land(bytes) {\n',
  ],
  [
    'bulk/journal/journal.ts',
    'sync: () => datasync(file),',
    'async sync() { for (const bytes of unsynced.splice(0)) await this.land(bytes); },',
  ],
];

const unsyncedIntents: Replacement = [
  'bulk/journal/journal.ts',
  '    if (syncs) await file.sync();\n',
  '    if (syncs && !bytes.includes(\'"type":"intent"\')) await file.sync();\n',
];

export const mutants = {
  'loses what was not synced': forgetfulDisk,
  'retries blindly': [
    ['bulk/operations/shortening.ts', "const doubt = isChecked ? 'read_back' : 'repeat'", "const doubt = 'repeat'"],
  ],
  'sends before its intent is synced': [...forgetfulDisk, unsyncedIntents],
  'does not sync its intents': [unsyncedIntents],
  'matches by position': [
    [
      'bulk/matching/matching.ts',
      '  const steps = [\n',
      "  for (const row of sent.keys()) if (work.items[row]?.kind === 'record') work.assign(row, row, 'position');\n" +
        '  if (inOrder) return work.answer();\n  const steps = [\n',
    ],
    ['bulk/operations/shortening.ts', '=> notApplied(item, record)', '=> []'],
  ],
  // In memory, and in the journal for those who resume.
  'forgets that rows were in doubt': [
    [
      'bulk/sending/doubt.ts',
      '  for (const { index } of rows) inDoubt.add(index);\n  await ledger.ambiguous(batch, rows, reason);\n',
      '',
    ],
    ['bulk/sending/batch-sender.ts', 'sent.forEach(({ index }) => void inDoubt.add(index));', 'undefined;'],
  ],
  'keeps nothing for undo': [['bulk/sending/links-before.ts', 'await images?.keep(unkept);', '{}']],
  'believes one page': [['client/named-urls.ts', 'open.push(asked.filter((hash) => !found.has(hash)));', 'continue;']],
  'drops the domain of a link': [
    ['bulk/operations/named-links.ts', '{ domain: rows[0]?.domain ?? settings.domain }', '{ domain: settings.domain }'],
  ],
  'sends again what was applied': [
    [
      'bulk/operations/editing.ts',
      "if (inDoubt && fieldsThatDiffer(fields, record).length === 0) return { kind: 'done', record };",
      "if (inDoubt) return { kind: 'again', record };",
    ],
  ],
  'takes what was left alone for done': [
    ['bulk/sending/resolving.ts', 'if (wasRefused(row, run)) {', 'if (!row) {'],
    ['bulk/sending/resolving.ts', 'if (await wasAnswered(row, run))', 'if (!row)'],
    ['bulk/sending/resolving.ts', 'settleOpen(sent, certain, run)', 'settleOpen(sent, rows.map(() => undefined), run)'],
  ],
  'changes by an old reading': [
    [
      'bulk/execution/execution.ts',
      'return readAt !== undefined && system.elapsed() - readAt > freshFor;',
      'return readAt !== undefined && system.elapsed() < readAt;',
    ],
  ],
  'undoes its own undo': [
    ['bulk/past-runs/undo-chain.ts', 'if (end.isUndo === isOfUndos) {', 'if (end.state || end.isUndo === isOfUndos) {'],
  ],
  'takes every link for its own': [
    ['change/decide/undo.ts', 'if (!change.isProven && !force)', 'if (false)'],
    [
      'bulk/sending/settling.ts',
      "isOlder ? 'existing' : operation.statusOf(payload, verdict)",
      "kindOf(payload, operation) === 'shorten' ? 'created' : operation.statusOf(payload, verdict)",
    ],
  ],
  'keeps no record of typed links': [
    ['bulk/journal/small-journal.ts', 'const isNew = !journal', 'if (waiting) return;\n    const isNew = !journal'],
  ],
  'believes what it kept': [['files/kept-rows.ts', '=== checksumLine(nth, json) ?', "!== '' || checksumLine(nth, json) ?"]],
} as const satisfies { readonly [name: string]: readonly Replacement[] };

export interface Mutant {
  /** The folder of its files. */
  readonly program: string;
  remove(): void;
}

/** Builds the program with a safeguard taken out of its sources. Throws where the sources do not hold the text any more. */
export async function buildMutant(name: keyof typeof mutants): Promise<Mutant> {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-mutant-'));
  await build({
    entryPoints: [join(source, 'cli', 'main.ts')],
    outfile: join(folder, 'main.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['@photostructure/sqlite'],
    logLevel: 'error',
    plugins: [mutation(mutants[name])],
  });
  return { program: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function mutation(replacements: readonly Replacement[]): Plugin {
  return {
    name: 'mutation',
    setup: ({ onLoad }) => {
      for (const file of new Set(replacements.map(([name]) => name))) {
        const path = join(source, file);
        onLoad({ filter: /\.ts$/ }, (args) =>
          args.path === path ? { contents: mutated(file, replacements), loader: 'ts' } : undefined,
        );
      }
    },
  };
}

/** Throws where the sources do not hold the text any more. */
export function assertApplicable(name: keyof typeof mutants): void {
  const replacements: readonly Replacement[] = mutants[name];
  for (const [file] of replacements) mutated(file, replacements);
}

function mutated(file: string, replacements: readonly Replacement[]): string {
  let text = readFileSync(join(source, file), 'utf8');
  for (const [, old, instead] of replacements.filter(([name]) => name === file)) {
    if (text.split(old).length !== 2) throw new Error(`src/${file} does not hold this once: ${old}`);
    text = text.replace(old, () => instead);
  }
  return text;
}
