import { processSystem } from '../../src/base/system.ts';
import { atomicWrite } from '../../src/files/atomic-write.ts';

// Replaces the file again and again, each time with one letter `size` times, and says when the first time is over.
const [path, size, rounds] = process.argv.slice(2) as [string, string, string];
const letter = (round: number): string => String.fromCharCode(97 + (round % 26));
for (let round = 0; round < Number(rounds); round++) {
  atomicWrite(path, `${letter(round).repeat(Number(size))}\n`, processSystem());
  if (round === 0) process.stdout.write('ready\n');
}
