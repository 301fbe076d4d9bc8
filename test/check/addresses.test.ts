import { expect, test } from 'vitest';
import { literalAddress, refusedKind } from '../../src/check/addresses.ts';

/** As the connection would see the host of the URL. */
const kindOf = (url: string): string | undefined => refusedKind(literalAddress(new URL(url)) ?? 'a name');

test.each([
  ['http://10.0.0.1/', 'private'],
  ['http://172.31.255.255/', 'private'],
  ['http://192.168.1.1/', 'private'],
  ['http://100.100.0.1/', 'private'],
  ['http://[fd00::1]/', 'private'],
  ['http://127.0.0.1/', 'loopback'],
  ['http://127.255.0.1/', 'loopback'],
  ['http://[::1]/', 'loopback'],
  // Other notations of 127.0.0.1 and 10.0.0.1.
  ['http://0x7f.1/', 'loopback'],
  ['http://2130706433/', 'loopback'],
  ['http://0177.0.0.1/', 'loopback'],
  ['http://127.1/', 'loopback'],
  ['http://127.0.0.1./', 'loopback'],
  ['http://①②⑦.0.0.1/', 'loopback'],
  ['http://[::ffff:127.0.0.1]/', 'loopback'],
  ['http://[::ffff:a00:1]/', 'private'],
  ['http://169.254.169.254/latest/meta-data/', 'link-local'],
  ['http://[fe80::1]/', 'link-local'],
  ['http://224.0.0.1/', 'multicast'],
  ['http://[ff02::1]/', 'multicast'],
  ['http://[64:ff9b::a00:1]/', 'NAT64'],
  ['http://[64:ff9b::8.8.8.8]/', 'NAT64'],
  ['http://[64:ff9b:1::1]/', 'NAT64'],
  ['http://[2002:7f00:1::]/', '6to4'],
  ['http://[2001:0:1::1]/', 'Teredo'],
  ['http://0.0.0.0/', 'reserved'],
  ['http://0/', 'reserved'],
  ['http://[::]/', 'reserved'],
  ['http://[::7f00:1]/', 'reserved'],
  ['http://192.0.2.1/', 'reserved'],
  ['http://255.255.255.255/', 'reserved'],
  ['http://[2001:db8::1]/', 'reserved'],
  ['http://[4000::1]/', 'reserved'],
  ['http://8.8.8.8/', undefined],
  ['http://172.32.0.1/', undefined],
  ['http://[::ffff:8.8.8.8]/', undefined],
  ['http://[2606:4700::1111]/', undefined],
])('K3: %s is %s', (url, kind) => {
  expect(kindOf(url)).toBe(kind);
});

test('K3: a name is no address', () => {
  expect(literalAddress(new URL('http://localhost/'))).toBeUndefined();
  expect(refusedKind('localhost')).toBe('unknown');
});
