import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { removedKey } from '../../src/contract/records.ts';
import { startService } from '../../src/service/service.ts';
import { test as base, type Linkctl, runnerIn, sure, username } from '../support/linkctl.ts';

const key = 'KEY4f1d2c3b4a5968778';

interface Account {
  readonly keyed: Linkctl;
  /** The note and the labels of a link; undefined if it is gone. */
  now(hash: string): Promise<object | undefined>;
}

/** An account whose key is short enough for a hash, and has two links: one of them has it. */
const test = base.extend<{ account: Account }>({
  account: async ({ homeEnv }, use) => {
    const service = await startService({ edition: 'a', username, apiKey: key, redirects: false });
    const headers = { authorization: `Basic ${Buffer.from(`${username}:${key}`).toString('base64')}` };
    const urls = [key, 'b'].map((custom_hash) => ({ custom_hash, long_url: 'https://e.example/', tags: ['z'] }));
    await fetch(`${service.baseUrl}/urls`, { method: 'POST', headers, body: JSON.stringify({ urls }) });
    const env = { LINKCTL_BASE_URL: service.baseUrl, LINKCTL_USERNAME: username, LINKCTL_API_KEY: key, LINKCTL_EDITION: 'a' };
    await use({
      keyed: runnerIn({ ...homeEnv, ...env }),
      now: async (hash) => {
        const answer = await fetch(`${service.baseUrl}/urls/${hash}`, { headers });
        const { urls: [url] = [] } = (await answer.json()) as { urls?: { note: string; long_url: string }[] };
        return url && { note: url.note, long_url: url.long_url };
      },
    });
    await service.close();
  },
});

const files = { 'd.txt': `b\n${removedKey}\n`, 'e.csv': `hash,note\n${removedKey},q\nb,q\n` };

test.for([
  [['edit', '--by-tags', 'z', '--note', 'q', ...sure]],
  [['edit', '--hashes-from', 'd.txt', '--note', 'q', '--yes']],
  [['edit', '-f', 'e.csv', '--yes']],
  [['apply', '-f', 'e.csv', ...sure]],
  [['rewrite', 'https://e.example/', 'https://f.example/', ...sure]],
  [['rewrite', 'https://e.example/', 'https://f.example/', '--no-undo', ...sure]],
  [['delete', '--hashes-from', 'd.txt', '--yes']],
  [['delete', '--hashes-from', 'd.txt', '--no-undo', '--yes']],
  [['delete', '--by-tags', 'z', ...sure]],
] as const)(
  'R-40, G5: a link with the key as its hash is refused by itself, and the others are changed: %j',
  async ([words], { account: { keyed, now }, folder }) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const [before, other] = [await now(key), await now('b')];
    const ran = await keyed(words.map((word) => (word in files ? join(folder, word) : word)));
    expect(ran, ran.stderr).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`not sent: ${removedKey} stands for the API key`),
    });
    expect(await now(key)).toEqual(before);
    expect(await now('b')).not.toEqual(other);
  },
);

test('R-40, B46: diff with a listing refuses the link with the key as its hash, and a dry run has no request for it', async ({
  account: { keyed },
  folder,
}) => {
  const listing = join(folder, 'listing.csv');
  writeFileSync(listing, (await keyed(['list', '-o', 'csv', '--fields', 'writable'])).stdout);
  expect(await keyed(['diff', '-f', listing])).toMatchObject({
    code: 12,
    stderr: expect.stringContaining('2 links: 1 equal, 1 refused'),
  });
  const dry = ['delete', '--hashes-from', listing, '--no-undo', '--yes', '--dry-run', '--verbose'];
  const { stderr, stdout } = await keyed(dry);
  expect(stderr + stdout).toMatch(/\nDELETE \/urls\/b\b(?!.*removed)/);
});
