import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from './support/linkctl.ts';

const loader = join(import.meta.dirname, '..', 'bin', 'compiled-code.js');

/** A program of one file that greets, in a folder of its own, and what it prints. */
function programIn(folder: string): { run(): string; kept(): string[]; code: string; source: string; start: string } {
  const program = join(folder, 'program');
  mkdirSync(program);
  const source = "module.exports = () => 'hello';";
  writeFileSync(join(program, 'main.cjs'), source);
  const start = `
    const keep = require(${JSON.stringify(loader)}).useCompiledCode(${JSON.stringify(program)}, ${JSON.stringify(join(program, 'main.cjs'))});
    process.stdout.write(require(${JSON.stringify(join(program, 'main.cjs'))})());
    keep();`;
  const place = join(program, 'code', `${process.version}-${process.arch}`);
  return {
    run: () => execFileSync(process.execPath, ['--eval', start]).toString(),
    kept: () => readdirSync(place),
    code: join(place, 'main.cjs'),
    source,
    start,
  };
}

/** Code that says something else for the same source: V8 knows a source by its length alone, and its flags, which are those of plain Node. */
function poison(source: string): Buffer {
  const other = `(function (exports, require, module, __filename, __dirname) {${source.replace('hello', 'POISN')}\n})`;
  // V8 keeps what was called; the rest it would compile from the source.
  const make = `
    const script = new (require('node:vm').Script)(${JSON.stringify(other)});
    const module = {};
    script.runInThisContext()({}, undefined, module, '', '');
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

test('code that was compiled under other flags of V8 is not kept', ({ folder }) => {
  const { run, kept, start } = programIn(folder);
  const flags = "require('node:v8').setFlagsFromString('--liftoff-only');";
  expect(execFileSync(process.execPath, ['--eval', start.replace('keep();', `${flags} keep();`)]).toString()).toBe('hello');
  expect(kept).toThrow('ENOENT');
  expect(run()).toBe('hello');
  expect(kept()).toEqual(['main.cjs']);
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
