import { describe, expect, test } from 'vitest';
import { createWorld } from '../world.ts';

const terminal = { isTTY: true, columns: 40 };

describe('B89: progress is one line that takes itself away', () => {
  test('it appears after a second, is drawn again when it changed, and leaves nothing', async () => {
    const { streams, stderr, pass } = createWorld({ stderr: terminal });
    let done = 1;
    streams.progress.step(() => `${done}/12 batches`);
    await pass(900);
    expect(stderr.text).toBe('');
    await pass(200);
    expect(stderr.text).toBe('\r\u001b[K1/12 batches');
    await pass(1000);
    expect(stderr.text).toBe('\r\u001b[K1/12 batches');
    done = 2;
    await pass(100);
    expect(stderr.text).toBe('\r\u001b[K1/12 batches\r\u001b[K2/12 batches');
    await streams.release();
    expect(stderr.text).toMatch(/\r\u001b\[K$/);
  });

  test('it is drawn at most ten times a second', async () => {
    const { streams, stderr, pass } = createWorld({ stderr: terminal });
    let done = 0;
    streams.progress.step(() => String(done++));
    await pass(2000);
    await streams.release();
    expect(stderr.text.split('\r\u001b[K').length - 2).toBeLessThanOrEqual(11);
  });

  test('short work shows nothing at all', async () => {
    const { streams, stderr, pass } = createWorld({ stderr: terminal });
    streams.progress.step(() => '1/12 batches');
    await pass(500);
    streams.progress.stop();
    await pass(5000);
    expect(stderr.text).toBe('');
  });

  test('it is cut to the terminal, and what strangers wrote in it is safe', async () => {
    const { streams, stderr, pass } = createWorld({ stderr: { isTTY: true, columns: 20 } });
    streams.progress.step(() => `\u001b[2J${'例'.repeat(40)}`);
    await pass(1100);
    expect(stderr.text).toBe('\r\u001b[K\\x1b[2J例例例例例…');
    await streams.release();
  });

  test('it is not drawn over a question, and comes back with the work after it', async () => {
    const { streams, stderr, pass } = createWorld({ stderr: terminal });
    streams.progress.step(() => '2/2 URLs read');
    await pass(500);
    const answered = streams.question('Edit 2 links? [y/N] ');
    await pass(5000);
    expect(stderr.text).toBe('Edit 2 links? [y/N] ');
    answered();
    streams.progress.step(() => '1/12 batches');
    await pass(1100);
    expect(stderr.text).toBe('Edit 2 links? [y/N] \r\u001b[K1/12 batches');
    await streams.release();
  });

  test('it gives way to every other line on the terminal', async () => {
    const { streams, stdout, stderr, pass } = createWorld({ stdout: terminal, stderr: terminal });
    streams.progress.step(() => 'working');
    await pass(1100);
    await streams.message('a line');
    expect(stderr.text).toBe('\r\u001b[Kworking\r\u001b[Ka line\n');
    await pass(200);
    streams.stdout.write('a row\n');
    await streams.stdout.flush();
    expect(stderr.text).toBe('\r\u001b[Kworking\r\u001b[Ka line\n\r\u001b[Kworking\r\u001b[K');
    expect(stdout.text).toBe('a row\n');
    await streams.release();
  });

  test.each([
    ['in a pipe', { stderr: {} }],
    ['with -q', { stderr: terminal, options: { quiet: true } }],
    ['with --progress none', { stderr: terminal, options: { progress: 'none' } }],
    ['in CI', { stderr: terminal, env: { CI: '1' } }],
    ['on a dumb terminal', { stderr: terminal, env: { TERM: 'dumb' } }],
  ] as const)('nothing %s', async (_, world) => {
    const { streams, stderr, pass } = createWorld(world);
    streams.progress.step(() => '1/12 batches');
    await pass(5000);
    await streams.release();
    expect(stderr.text).toBe('');
  });

  test('flags that become known after the streams are open count', async () => {
    const options: { quiet?: boolean } = {};
    const { streams, stderr, pass } = createWorld({ stderr: terminal, options });
    options.quiet = true;
    streams.progress.step(() => '1/12 batches');
    await pass(5000);
    await streams.release();
    expect(stderr.text).toBe('');
  });

  test('--progress plain is a full line a step, anywhere', async () => {
    const { streams, stderr } = createWorld({ options: { progress: 'plain' } });
    streams.progress.step(() => '1/12 batches');
    streams.progress.step(() => '2/12 batches');
    await streams.release();
    expect(stderr.text).toBe('1/12 batches\n2/12 batches\n');
  });

  test('asked for, the state is reported once, even where nothing else is', async () => {
    const { streams, stderr } = createWorld();
    streams.progress.step(() => '1/12 batches');
    streams.progress.status();
    await streams.release();
    expect(stderr.text).toBe('1/12 batches\n');
  });
});
