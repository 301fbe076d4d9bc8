import { expect, test } from 'vitest';
import { LocalError } from '../../src/base/errors.ts';
import { ClosedPipe, Writer } from '../../src/output/writer.ts';
import { until } from '../support/until.ts';
import { Screen } from './world.ts';

test('R-21: a slow reader slows the program down: what waits stays small', async () => {
  const screen = new Screen({ slow: 1 });
  const writer = new Writer(screen);
  let waiting = 0;
  for (let line = 0; line < 20_000; line++) {
    await writer.write(`${'x'.repeat(99)}\n`);
    waiting = Math.max(waiting, (line + 1) * 100 - screen.text.length);
  }
  await writer.release();
  expect(screen.text.length).toBe(2_000_000);
  expect(waiting).toBeLessThan(200_000);
  expect(screen.chunks).toBeLessThan(50);
});

test('B20: what was written is sent as soon as the program waits', async () => {
  const screen = new Screen();
  const writer = new Writer(screen);
  writer.write('one\n');
  writer.write('two\n');
  expect(screen.text).toBe('');
  await until(() => screen.text !== '', 'what was written is sent');
  expect(screen.text).toBe('one\ntwo\n');
  expect(screen.chunks).toBe(1);
  await writer.release();
});

test.each(['EPIPE', 'ECONNRESET'])('R-19: %s is a closed pipe, and every later word is refused', async (code) => {
  const screen = new Screen({ breaks: { after: 1, code } });
  const writer = new Writer(screen);
  writer.write('one\n');
  await writer.flush();
  writer.write('two\n');
  await expect(writer.flush()).rejects.toThrow(ClosedPipe);
  expect(() => writer.write('three\n')).toThrow(ClosedPipe);
  await writer.release();
  expect(screen.listenerCount('error')).toBe(0);
});

test.each([
  ['ENOSPC', 'cannot write output: no space left on device'],
  ['EIO', 'cannot write output: input/output error'],
  ['EBADF', 'cannot write output: the stream is not open'],
  ['EWHAT', 'cannot write output: write EWHAT'],
])('B38: %s says why', async (code, message) => {
  const writer = new Writer(new Screen({ breaks: { after: 0, code } }));
  writer.write('one\n');
  const error = await writer.flush().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LocalError);
  expect(error).toMatchObject({ message, exitCode: 9 });
  await writer.release();
});

test('R-19: a stderr that went away is ignored', async () => {
  const writer = new Writer(new Screen({ breaks: { after: 0, code: 'EPIPE' } }), { lossy: true });
  writer.write('one\n');
  await writer.flush();
  await writer.write('two\n');
  await writer.release();
});

test('T8: an error that the stream reports late is still noticed, and crashes nothing', async () => {
  const screen = new Screen({ breaks: { after: 0, code: 'EPIPE' } });
  screen._destroy = (error, done) => void setImmediate(done, error);
  const writer = new Writer(screen);
  writer.write('one\n');
  await writer.release();
  expect(screen.errored).toMatchObject({ code: 'EPIPE' });
  expect(screen.listenerCount('error')).toBe(0);
});
