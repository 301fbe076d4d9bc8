import { BlockList, isIP, SocketAddress } from 'node:net';

/** A single address, or all with the same prefix: `10.0.0.0/8`. */
export interface Network {
  readonly address: string;
  readonly bits: number;
}

/** Undefined for invalid text. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const most = addressBits(address);
  const number = bits === undefined ? most : Number(bits);
  return most > 0 && number <= most ? { address, bits: number } : undefined;
}

/** 0 for invalid text. */
function addressBits(text: string): number {
  const version = isIP(text);
  return version === 0 ? 0 : version === 4 ? 32 : 128;
}

/** One spelling for each address, that of IPv4 where it is written as IPv6, so that all are one visitor. Other text stays as it is. */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Returns the address of the client: the peer, or the one that trusted proxies report in `X-Forwarded-For`. */
export type AddressReader = (peer: string, forwardedFor: string | undefined) => string;

export function addressReader(trusted: readonly Network[]): AddressReader {
  const proxies = new BlockList();
  for (const { address, bits } of trusted) proxies.addSubnet(address, bits, familyOf(address));
  return (peer, forwardedFor = '') => {
    let visitor = plainAddress(peer);
    // Each proxy appends its peer, so anything before an untrusted address may be forged.
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

/** Accepts `192.0.2.1`, `192.0.2.1:80` and `[2001:db8::1]:80`; undefined for other text such as `unknown`. */
function withoutPort(text: string): string | undefined {
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? undefined : plainAddress(address);
}
