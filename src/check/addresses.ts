import { BlockList, isIP } from 'node:net';

/** Addresses that do not belong to one machine of the public internet. */
const refused: Readonly<Record<string, readonly string[]>> = {
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'],
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  // These contain an IPv4 address that is reached through a gateway of any owner.
  NAT64: ['64:ff9b::/96', '64:ff9b:1::/48'],
  '6to4': ['2002::/16', '192.88.99.0/24'],
  Teredo: ['2001::/32'],
  // For documentation, measurements and future use.
  reserved: [
    '0.0.0.0/8',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '2001::/23',
    '2001:db8::/32',
    '3fff::/20',
  ],
};

/** Node checks IPv4-mapped IPv6 addresses against the IPv4 lists. */
const lists = Object.entries(refused).map(([kind, networks]) => ({ kind, list: listOf(networks) }));
const mapped = listOf(['::ffff:0:0/96']);
/** The part of IPv6 that has been allocated so far. */
const given = listOf(['2000::/3']);

/** Returns undefined for a public address. */
export function refusedKind(address: string): string | undefined {
  const version = isIP(address);
  if (version === 0) return 'unknown';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  for (const { kind, list } of lists) if (list.check(address, family)) return kind;
  return family === 'ipv4' || given.check(address, family) || mapped.check(address, family) ? undefined : 'reserved';
}

/** Returns the address without brackets; undefined for a name, which is resolved when a connection is made. */
export function literalAddress({ hostname }: URL): string | undefined {
  const text = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(text) === 0 ? undefined : text;
}

/** Returns the reason why the address must not be contacted; undefined if it may be. */
export type Refusal = (address: string) => string | undefined;

/** Returns a reason such as `a private address`. */
export const publicOnly: Refusal = (address) => {
  const kind = refusedKind(address);
  return kind === undefined ? undefined : `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind} address`;
};

/** Checks literal addresses, which are never looked up. */
export function literalRefusal(url: URL, refusal: Refusal): string | undefined {
  const address = literalAddress(url);
  const reason = address === undefined ? undefined : refusal(address);
  return reason === undefined ? undefined : `${address} is ${reason}`;
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
