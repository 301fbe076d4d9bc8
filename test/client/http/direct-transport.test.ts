import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { directTransport } from '../../../src/client/http/direct-transport.ts';
import { patient } from './transports.ts';

const request = { method: 'DELETE', path: '/api/3/urls/abc', headers: {} };

test('F67: a request that ends before its turn is not made, and its outcome is no doubt', async () => {
  const asked: unknown[] = [];
  const { exchange } = directTransport('here', async (one) => {
    asked.push(one);
    return { status: 200, headers: {}, body: '{}' };
  });
  const end = new AbortController();
  const answered = exchange(request, patient, end.signal);
  end.abort();
  expect(await answered).toMatchObject({ kind: 'failure', sent: false, nature: 'interrupted' });
  await turn();
  expect(asked).toEqual([]);
  expect(await exchange(request, patient)).toMatchObject({ kind: 'answer', status: 200, body: '{}' });
  expect(asked).toEqual([request]);
});
