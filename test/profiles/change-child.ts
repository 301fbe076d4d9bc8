import { processSystem } from '../../src/base/system.ts';
import { changeConfig } from '../../src/profiles/config-change.ts';

// Stores `count` profiles of its own, one after the other.
const [name, count] = process.argv.slice(2) as [string, string];
for (let index = 0; index < Number(count); index++) {
  await changeConfig(processSystem(), (draft) => {
    draft.profiles[`${name}${index}`] = { note: 'x'.repeat(200) } as object;
  });
  if (index === 0) process.stdout.write('ready\n');
}
