import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readJournal } from '../../../src/bulk/journal/line-reader.ts';
import { encodeLine, type JournalLine } from '../../../src/bulk/journal/lines.ts';

test('J8: a journal of megabytes, and a line of more than one, are read line by line as they were written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'journal.log');
  const written = Array.from({ length: 30 }, (_, nth): JournalLine => ({ type: 'signal', at: `${nth} ${'é'.repeat(50_000)}` }));
  written.splice(20, 0, { type: 'signal', at: 'x'.repeat(2_500_000) });
  writeFileSync(path, Buffer.concat(written.map(encodeLine)));
  const read: JournalLine[] = [];
  let end = 0;
  for await (const { line, offset, length } of readJournal(path)) {
    expect(offset).toBe(end);
    end = offset + length;
    read.push(line);
  }
  expect(read).toEqual(written);
});
