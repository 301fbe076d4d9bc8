import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

const haste = { haste: 100 };
/** Links that somebody else makes meanwhile. */
const others = Array.from({ length: 12 }, (_, nth) => ({ long_url: `https://others.example/${nth}` }));

/** A listing that does not show the latest links proves nothing. */
const stale = { answer: { body: { error: { code: 0, message: '' }, urls: [] } }, only: { method: 'GET', path: '/urls' } };

/** Runs the command of a hint as a shell would, and returns the destinations that it shows. */
async function shownBy(stderr: string, linkctl: Linkctl): Promise<string[]> {
  const [, command = ''] = /^hint: .*: linkctl (list.*?)(?:; .*)?$/m.exec(stderr) ?? [];
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const { stdout } = await linkctl([...words, '--fields', 'long_url', '-o', 'jsonl']);
  return [...stdout.matchAll(/"long_url":(".*?")\}/g)].map(([, text = '']) => JSON.parse(text));
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  const odd = `https://un.example/it's?a=1&b=%5F_%20"*"#ä`;
  test.for([[[odd]], [[odd, `${odd}2`]]] as const)(
    'B45, R 1.2: after a lost answer, the hint shows the links that were made, whatever others made since: %s',
    async ([urls], { linkctl, service, wire }) => {
      await store(service, numbered(3));
      await wire.script([
        { ...faults.dropAfter, only: { method: 'POST' } },
        { ...stale, times: 'all' },
      ]);
      const lost = await linkctl(['shorten', ...urls], haste);
      expect(lost.code).toBe(10);
      await wire.script([]);
      await store(service, others);
      expect((await shownBy(lost.stderr, linkctl)).sort()).toEqual([...urls]);
    },
  );

  test('R 1.2: rows of a file whose outcome stays unknown are shown by their destinations, at the stop and at the end', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const urls = Array.from({ length: 8 }, (_, nth) => `https://un.example/${nth}`);
    const file = join(folder, 'urls.txt');
    await store(service, numbered(3));
    writeFileSync(file, urls.map((url) => `${url}\n`).join(''));
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }, { only: stale.only }, { ...stale, times: 'all' }]);
    const stopped = await linkctl(['shorten', '-f', file], haste);
    expect(stopped).toMatchObject({ code: 10, stderr: expect.not.stringContaining('other rows') });
    await wire.script([]);
    await store(service, others);
    expect((await shownBy(stopped.stderr, linkctl)).sort()).toEqual(urls);
    const ended = await linkctl(['shorten', '-f', file], haste);
    expect(ended).toMatchObject({ code: 10, stderr: expect.stringContaining('outcome unknown for 8 of 8 rows') });
    expect((await shownBy(ended.stderr, linkctl)).sort()).toEqual(urls);
  });
});
