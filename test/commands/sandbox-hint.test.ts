import { describe, expect } from 'vitest';
import { test } from '../support/linkctl.ts';

const hint = 'to make links of the sandbox work, run in another terminal: linkctl serve\n';
const terminal = { stdout: true, stderr: true };
/** On a terminal every change says how it is undone. */
const undoLine = /^to undo it: linkctl (?:-p sandbox (?:--edition b )?)?undo \S+\n$/;
const undoneThen = (line: string, flags = '-p sandbox') =>
  expect.stringMatching(new RegExp(`^to undo it: linkctl ${flags} undo \\S+\n${line}$`));
const shorten = ['-p', 'sandbox', 'shorten', 'https://example.com/a'];

describe('how a link of the sandbox is followed', () => {
  test('is said by the first shorten on a terminal, once per sandbox, after the link', async ({ linkctl }) => {
    expect((await linkctl(shorten)).stderr).toBe('');
    expect((await linkctl(shorten, { terminal: { stdout: true } })).stderr).toBe('');
    expect((await linkctl(shorten, { terminal: { stderr: true } })).stderr).toMatch(undoLine);
    expect((await linkctl([...shorten, '-q'], { terminal })).stderr).toBe('');
    expect((await linkctl([...shorten, '-n'], { terminal })).stderr).not.toContain('linkctl serve');
    const first = await linkctl(shorten, { terminal });
    expect(first).toMatchObject({ code: 0, stderr: undoneThen(hint) });
    expect(first.stdout).toContain('http://localhost:8787/');
    expect((await linkctl(shorten, { terminal })).stderr).toMatch(undoLine);
    const b = await linkctl([...shorten, '--edition', 'b'], { terminal });
    // Longer than the terminal is wide.
    expect(b.stderr).toEqual(undoneThen(hint.replace(' linkctl serve', '\nlinkctl serve --edition b'), '-p sandbox --edition b'));
    expect((await linkctl([...shorten, '--edition', 'b'], { terminal })).stderr).toMatch(undoLine);
  });

  test('B45, U5: the command that undoes a link of the other edition works when pasted', async ({ linkctl }) => {
    const { stderr } = await linkctl([...shorten, '--edition', 'b'], { terminal });
    const [, pasted = ''] = /^to undo it: linkctl (.+)$/m.exec(stderr) ?? [];
    expect(await linkctl([...pasted.split(' '), '--yes'])).toMatchObject({ code: 0 });
    expect((await linkctl(['-p', 'sandbox', '--edition', 'b', 'list'])).stdout).toBe('');
  });

  test('is not said of a link that was not made', async ({ linkctl }) => {
    await linkctl([...shorten, '--hash', 'a']);
    const taken = await linkctl(['-p', 'sandbox', 'shorten', 'https://example.com/b', '--hash', 'a'], { terminal });
    expect(taken.code).not.toBe(0);
    expect(taken.stderr).not.toContain('linkctl serve');
    expect((await linkctl(shorten, { terminal })).stderr).toEqual(undoneThen(hint));
  });

  test('is not said of other accounts', async ({ linkctl, env }) => {
    expect((await linkctl(['shorten', 'https://example.com/a'], { env, terminal })).stderr).toMatch(undoLine);
  });
});
