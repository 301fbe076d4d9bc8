import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from './support/linkctl.ts';

/** The part of the program that loads its files. */
const loader = join(import.meta.dirname, '..', 'bin', 'linkctl.js');

/** A program of one file that greets, in a folder of its own, and what it prints. */
function programIn(folder: string): { run(): string; kept(): string[]; code: string; source: string; start: string } {
  const program = join(folder, 'program');
  mkdirSync(program);
  const source = "module.exports = () => 'hello'; module.exports.toAll = (other) => ' ' + other();";
  writeFileSync(join(program, 'main.cjs'), source);
  const start = `
    const { load, keep } = require(${JSON.stringify(loader)}).compiledProgram(${JSON.stringify(program)});
    process.stdout.write(load('main.cjs')());
    keep();`;
  const place = join(program, 'code', `${process.version}-${process.arch}`);
  return {
    run: () => execFileSync(process.execPath, ['--eval', start], { timeout: 10_000 }).toString(),
    kept: () => readdirSync(place),
    code: join(place, 'main.cjs'),
    source,
    start,
  };
}

/** Code that says something else for the same source: V8 knows a source by its length alone, and its flags, which are those of plain Node. */
function poison(source: string): Buffer {
  const other = `(function (exports, require, module, __dirname) {${source.replace('hello', 'POISN')}\n})`;
  // V8 keeps what was called; the rest it would compile from the source.
  const make = `
    const script = new (require('node:vm').Script)(${JSON.stringify(other)});
    const module = {};
    script.runInThisContext()({}, undefined, module, '');
    module.exports();
    process.stdout.write(script.createCachedData());`;
  const code = execFileSync(process.execPath, ['--eval', make]);
  return Buffer.concat([code, code]);
}

test('compiled code is kept beside the program once, for its owner alone to write', ({ folder }) => {
  const { run, kept, code } = programIn(folder);
  expect(run()).toBe('hello');
  expect(kept()).toEqual(['main.cjs']);
  expect(statSync(code).mode & 0o777).toBe(0o644);
  const { ino } = statSync(code);
  expect(run()).toBe('hello');
  expect(statSync(code).ino).toBe(ino);
});

test('kept code is what runs, so code that others could have written is not used', ({ folder }) => {
  const { run, code, source } = programIn(folder);
  run();
  writeFileSync(code, poison(source));
  expect(run()).toBe('POISN');
  chmodSync(code, 0o664);
  expect(run()).toBe('hello');
});

test.skipIf(process.platform === 'win32')(
  'a pipe or a folder in the place of kept code is replaced or left, and nobody waits for it',
  ({ folder }) => {
    const { run, code } = programIn(folder);
    run();
    const { size } = statSync(code);
    rmSync(code);
    execFileSync('mkfifo', ['-m', '600', code]);
    expect(run()).toBe('hello');
    expect(statSync(code).size).toBe(size);
    rmSync(code);
    mkdirSync(code);
    expect(run()).toBe('hello');
  },
);

test('what a run calls is kept, and a run that loads another file adds what it calls of the known ones', ({ folder }) => {
  const { run, kept, code, source, start } = programIn(folder);
  for (const name of ['other', 'third']) writeFileSync(join(folder, 'program', `${name}.cjs`), "module.exports = () => 'all';");
  // V8 compiles a function that is not kept from the source, which has another sign.
  const asked = `
    const { Script } = require('node:vm');
    const bytes = require('node:fs').readFileSync(${JSON.stringify(code)});
    const source = ${JSON.stringify(`(function (exports, require, module, __dirname) {${source.replace("' ' +", "'?' +")}\n})`)};
    const script = new Script(source, { cachedData: bytes.subarray(0, bytes.length / 2) });
    const module = {};
    script.runInThisContext()({}, undefined, module, '');
    process.stdout.write(module.exports.toAll(() => 'all'));`;
  const answer = (): string => execFileSync(process.execPath, ['--eval', asked]).toString();
  const runWith = (more: string): string =>
    execFileSync(process.execPath, ['--eval', start.replace("load('main.cjs')()", `load('main.cjs')() + ${more}`)]).toString();
  run();
  expect(answer()).toBe('?all');
  expect(runWith("load('main.cjs').toAll(load('other.cjs'))")).toBe('hello all');
  expect(kept().sort()).toEqual(['main.cjs', 'other.cjs']);
  expect(answer()).toBe(' all');
  const { ino } = statSync(code);
  expect(runWith("load('third.cjs')()")).toBe('helloall');
  expect(kept().sort()).toEqual(['main.cjs', 'other.cjs', 'third.cjs']);
  expect(statSync(code).ino).toBe(ino);
});

test('one run of 32 adds what it calls, although it loads no other file', ({ folder }) => {
  const { run, code, start } = programIn(folder);
  run();
  const { size } = statSync(code);
  const runAs = (pid: number): void => {
    const other = start.replace("load('main.cjs')()", "load('main.cjs').toAll(() => 'all')");
    execFileSync(process.execPath, ['--eval', `Object.defineProperty(process, 'pid', { value: ${pid} }); ${other}`]);
  };
  runAs(65);
  expect(statSync(code).size).toBe(size);
  runAs(64);
  expect(statSync(code).size).toBeGreaterThan(size);
});

test('what a command calls of its file is kept, although another file had needed a part of it before', ({ folder }) => {
  const { kept, code, start } = programIn(folder);
  const program = join(folder, 'program');
  const body = `return [${Array.from({ length: 200 }, (_, nth) => `'${nth}'`)}].join('');`;
  writeFileSync(join(program, 'other.cjs'), `module.exports = () => { ${body} }; module.exports.part = () => '!';`);
  writeFileSync(join(program, 'first.cjs'), "const { part } = require('./other.cjs'); module.exports = () => part();");
  for (const name of ['first', 'other']) {
    const run = start.replace("load('main.cjs')()", `load('main.cjs')() + load('${name}.cjs')()`);
    expect(execFileSync(process.execPath, ['--eval', run]).toString()).toMatch(name === 'first' ? 'hello!' : 'hello012');
  }
  expect(kept().sort()).toEqual(['first.cjs', 'main.cjs', 'other.cjs', 'part-other.cjs']);
  const sizeOf = (name: string): number => statSync(join(code, '..', name)).size;
  expect(sizeOf('other.cjs')).toBeGreaterThan(sizeOf('part-other.cjs') + 1000);
});

test('code of another Node is left alone, and that of this one is kept beside it', ({ folder }) => {
  const { run, kept, code } = programIn(folder);
  const newer = join(code, '..', '..', `v99.0.0-${process.arch}`);
  mkdirSync(newer, { recursive: true });
  writeFileSync(join(newer, 'main.cjs'), 'code of a newer Node');
  expect(run()).toBe('hello');
  expect(kept()).toEqual(['main.cjs']);
  expect(readFileSync(join(newer, 'main.cjs'), 'utf8')).toBe('code of a newer Node');
});

test('code that another Node left in our place is compiled anew', ({ folder }) => {
  const { run, code } = programIn(folder);
  run();
  const foreign = readFileSync(code);
  // V8 begins with a number of its version.
  for (const half of [0, foreign.length / 2]) foreign.writeUInt8(foreign.readUInt8(half + 4) ^ 1, half + 4);
  writeFileSync(code, foreign);
  expect(run()).toBe('hello');
  expect(readFileSync(code).equals(foreign)).toBe(false);
});

test('a run that sets flags of V8 keeps code that a plain start accepts', ({ folder }) => {
  const { run, code, start } = programIn(folder);
  const flags = "require('node:v8').setFlagsFromString('--liftoff-only');";
  expect(execFileSync(process.execPath, ['--eval', start.replace('keep();', `${flags} keep();`)]).toString()).toBe('hello');
  const { ino } = statSync(code);
  expect(run()).toBe('hello');
  expect(statSync(code).ino).toBe(ino);
});

test('damaged, cut and empty code is compiled anew', ({ folder }) => {
  const { run, code } = programIn(folder);
  run();
  const whole = readFileSync(code);
  for (let position = 0; position < whole.length; position += 397) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(position) ^ 4, position);
    writeFileSync(code, damaged);
    expect(run()).toBe('hello');
    expect(readFileSync(code).equals(damaged)).toBe(false);
  }
  for (const part of [whole.subarray(0, whole.length / 2), Buffer.alloc(0), Buffer.alloc(4)]) {
    writeFileSync(code, part);
    expect(run()).toBe('hello');
  }
});

test('a program folder in which nothing can be written starts as well', ({ folder }) => {
  const { run, code } = programIn(folder);
  run();
  rmSync(join(code, '..', '..'), { recursive: true });
  writeFileSync(join(folder, 'program', 'code'), 'a file where the folder would be');
  expect(run()).toBe('hello');
});
