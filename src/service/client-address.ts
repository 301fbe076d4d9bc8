import { BlockList, isIP } from 'node:net';

/** An address, or those that begin with the same bits: `10.0.0.0/8`. */
export interface Network {
  readonly address: string;
  readonly bits: number;
}

/** Reads an address or CIDR; undefined for what is neither. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const most = addressBits(address);
  const number = bits === undefined ? most : Number(bits);
  return most > 0 && number <= most ? { address, bits: number } : undefined;
}

/** 0 for what is no address. */
function addressBits(text: string): number {
  const version = isIP(text);
  return version === 0 ? 0 : version === 4 ? 32 : 128;
}

/** IPv4 written as IPv6 is the address that it means: who comes both ways is one visitor. */
export function plainAddress(address: string): string {
  const [, v4, high, low] = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return v4 ?? address;
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

/** Finds out who a request comes from: the peer, or whom trusted proxies name in `X-Forwarded-For` (V4). */
export type AddressReader = (peer: string, forwardedFor: string | undefined) => string;

export function addressReader(trusted: readonly Network[]): AddressReader {
  const proxies = new BlockList();
  for (const { address, bits } of trusted) proxies.addSubnet(address, bits, familyOf(address));
  return (peer, forwardedFor = '') => {
    let visitor = plainAddress(peer);
    // Each proxy adds its peer at the end: what stands before an address that is not trusted can be made up.
    for (const hop of forwardedFor.split(',').reverse()) {
      const address = withoutPort(hop.trim());
      if (address === undefined || !proxies.check(visitor, familyOf(visitor))) return visitor;
      visitor = address;
    }
    return visitor;
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** `192.0.2.1`, `192.0.2.1:80` and `[2001:db8::1]:80` without the port; undefined for what is no address, such as `unknown`. */
function withoutPort(text: string): string | undefined {
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? undefined : plainAddress(address);
}
