import type { ServiceResponse } from '../message.ts';

/** Pixels per module, which makes the code of a short URL about 110 or 300 pixels wide. */
const scales: { readonly [size: string]: number } = { small: 3, big: 8 };

/** API.md does not show the form of these links. */
export function qrLinks(address: string): { qr_small: string; qr_big: string } {
  return { qr_small: `${address}.qr?size=small`, qr_big: `${address}.qr?size=big` };
}

/** Returns the hash in a name such as `abc.qr`. */
export function hashOfQrPath(name: string): string | undefined {
  return name.endsWith('.qr') ? name.slice(0, -'.qr'.length) : undefined;
}

/** Undefined if the address is too long. */
export async function qrResponse(address: string, search: string): Promise<ServiceResponse | undefined> {
  // Loaded on demand, so that visits do not wait for it.
  const { qrCode, qrSvg } = await import('../../output/qr.ts');
  const code = qrCode(address);
  if (!code) return undefined;
  const size = new URLSearchParams(search).get('size') ?? '';
  const headers = {
    'content-type': 'image/svg+xml',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body: qrSvg(code, scales[size]) };
}
