import { request } from 'node:http';
import { describe, expect } from 'vitest';
import { numbered, store } from '../support/stored-links.ts';
import { record, test } from './history-world.ts';

describe('two domains with the same hashes', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('H1, F5: a reading covers all domains, and a hash on each is a link of its own', async ({ on, service }) => {
    for (const domain of ['a.example', 'b.example']) await store(service, numbered(2), domain);
    await on(0, ...record);
    await visitOn(service.origin, 'a.example', 'h0', 1);
    await visitOn(service.origin, 'b.example', 'h0', 2);
    await on(1, ...record);
    expect((await on(1, 'stats', '--since', '1d')).stdout).toBe('b.example/h0\t2\t\t\t1\t\na.example/h0\t1\t\t\t1\t\n');
    expect((await on(1, 'stats', '--since', '1d', '--domain', 'a.example')).stdout).toBe('h0\t1\t\t\t1\t\n');
    expect((await on(1, 'stats', 'b.example/h0', '--since', '1d')).stdout).toBe('h0\t2\t\t\t1\t\n');
    expect((await on(1, 'stats', 'b.example/h0', 'h1', '--since', '1d')).stdout).toBe('b.example/h0\t2\t\t\t1\t\n');
    // A bare hash is on the default domain.
    await on(1.1, 'stats', 'h0', '--reset', '--yes');
    await on(1.2, 'delete', 'b.example/h0', '--yes');
    await visitOn(service.origin, 'a.example', 'h0', 5);
    await on(2, ...record);
    const { clicks } = JSON.parse((await on(2, 'stats', '--since', '1d', '-o', 'json')).stdout);
    expect(clicks).toMatchObject([
      { short_url: 'a.example/h0', clicks: 5, events: ['reset'] },
      { short_url: 'b.example/h0', clicks: 0, events: ['deleted'] },
    ]);
  });

  test('H2, F5: whichever links were clicked, each is shown by its short URL', async ({ on, service }) => {
    for (const domain of ['a.example', 'b.example']) await store(service, numbered(2), domain);
    await on(0, ...record);
    await visitOn(service.origin, 'b.example', 'h0', 2);
    await on(1, ...record);
    expect((await on(1, 'stats', '--since', '1d')).stdout).toBe('b.example/h0\t2\t\t\t1\t\n');
    expect((await on(1, 'stats', '--since', '1d', '--domain', 'b.example')).stdout).toBe('h0\t2\t\t\t1\t\n');
  });

  test('H1: a reading of one domain leaves the links of the other as they are', async ({ on, service }) => {
    for (const domain of ['a.example', 'b.example']) await store(service, numbered(1), domain);
    await on(0, ...record);
    await visitOn(service.origin, 'b.example', 'h0', 3);
    await on(1, ...record, '--domain', 'a.example');
    await on(2, ...record);
    const { clicks } = JSON.parse((await on(2, 'stats', '--since', '2d', '-o', 'json')).stdout);
    expect(clicks).toMatchObject([{ short_url: 'b.example/h0', clicks: 3, events: [] }]);
  });

  test('H2: what another domain had before it was first read is no click', async ({ on, service }) => {
    for (const domain of ['a.example', 'b.example']) await store(service, numbered(1), domain);
    await visitOn(service.origin, 'b.example', 'h0', 9);
    await on(0, ...record, '--domain', 'a.example');
    await on(1, ...record);
    await visitOn(service.origin, 'b.example', 'h0', 2);
    await on(2, ...record);
    expect((await on(2, 'stats', '--since', '1d', '--by', 'host')).stdout).toBe('example.com\t1\t2\t\t\n');
  });
});

async function visitOn(origin: string, host: string, hash: string, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    await new Promise<void>((resolve, reject) => {
      request(`${origin}/${hash}`, { headers: { host } }, (response) => response.resume().on('end', () => resolve()))
        .on('error', reject)
        .end();
    });
  }
}
