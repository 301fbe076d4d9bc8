import { expect, test } from 'vitest';
import { isLocalhost, isLocalName, isLoopback, isSameDomain, withoutLocalPort } from '../../src/contract/web-address.ts';

test.each([
  ['localhost', true, true],
  ['LOCALHOST', true, true],
  ['127.0.0.1', true, true],
  ['127.8.9.10', true, true],
  ['::1', true, true],
  ['[::1]', true, true],
  ['links.localhost', false, true],
  ['localhost.example.com', false, false],
  ['127.0.0.1.example.com', false, false],
  ['notlocalhost', false, false],
  ['10.0.0.1', false, false],
  ['[::2]', false, false],
  ['', false, false],
])('B74, R-50: %j is surely this machine: %s, and never behind a proxy: %s', (name, isCertain, isLocal) => {
  expect([isLoopback(name), isLocalName(name)]).toEqual([isCertain, isLocal]);
});

test.each([
  ['localhost', 'localhost', true],
  ['localhost:8787', 'localhost', true],
  ['s.ex:8787', 's.ex:8787', false],
  ['localhost.ex:1', 'localhost.ex:1', false],
  ['localhost:8787/ab', 'localhost/ab', false],
])('the domain %s is %s on any port, and that of a local service: %s', (domain, kept, isLocal) => {
  expect([withoutLocalPort(domain), isLocalhost(domain)]).toEqual([kept, isLocal]);
});

test.each([
  ['s.ex', 'S.EX', true],
  ['bücher.example', 'xn--bcher-kva.example', true],
  ['localhost:8787', 'localhost', true],
  ['s.ex', 's.ex:8787', false],
  ['s.ex', 's.ex:443', true],
  ['[2001:db8::a]:80', '[2001:DB8::A]', true],
  ['[2001:db8::a]', '[2001:db8::b]', false],
  ['a.example', 'b.example', false],
])('%s and %s are the same domain: %s', (one, other, isSame) => {
  expect(isSameDomain(one, other)).toBe(isSame);
});
