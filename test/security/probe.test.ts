import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { startFaultyServer } from '../support/faulty-server.ts';
import { openCell } from './cell.ts';
import { subjects } from './command-table.ts';
import { table } from './fault-table.ts';
test('probe', async () => {
  const server = await startFaultyServer();
  const lines: string[] = [];
  const names = Object.keys(table);
  for (const subject of subjects) {
    const cell = await openCell(subject, server);
    const good = await cell.observe([]);
    lines.push(`== ${subject.name}: good ${good.exit} ${good.violations} ${good.stderr}`);
    for (const name of names) {
      const steps = table[name]!;
      const options = name === 'dns' ? { baseUrl: 'https://no-such-host.invalid/api' } : name === 'refused' ? { baseUrl: 'http://127.0.0.1:9/api' } : {};
      const seen = await cell.observe(steps, options);
      lines.push(`${subject.name}\t${subject.changes ? 'w' : 'r'}\t${name}\t${seen.exit}\t${Math.round(seen.lasted)}\t${seen.violations.join(' | ').slice(0, 400)}\t${JSON.stringify(seen.stderr).slice(0, 300)}`);
    }
    cell.close();
  }
  await server.close();
  writeFileSync('/tmp/probe.txt', lines.join('\n'));
}, 600_000);
