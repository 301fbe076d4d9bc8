import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manualPage } from '../../bin/build/manual.ts';
import { version } from '../../src/base/version.ts';
import { wholeTree } from '../../src/cli/program.ts';
import { scripts } from '../../src/completion/scripts.ts';

const top = join(import.meta.dirname, '..', '..');
const remedy = 'not what the program says of itself: npm run generate';
const root = await wholeTree();

test.each(Object.values(scripts))('B92: completions/$file is what `linkctl completion` prints', async ({ text, file }) => {
  await expect(text, remedy).toMatchFileSnapshot(join(top, 'completions', file));
});

test('B98: the manual page in completions/ says what the program says', async () => {
  await expect(manualPage(root, version), remedy).toMatchFileSnapshot(join(top, 'completions', 'linkctl.1'));
});
