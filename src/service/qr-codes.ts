import type { ServiceResponse } from './message.ts';

/** Pixels of a module: a code of a short URL is about 110 or 300 pixels wide. */
const scales: { readonly [size: string]: number } = { small: 3, big: 8 };

/** Where the pictures of a link lie, by its address (V5). The form is not shown in API.md. */
export function pictureLinks(address: string): { qr_small: string; qr_big: string } {
  return { qr_small: `${address}.qr?size=small`, qr_big: `${address}.qr?size=big` };
}

/** The hash of the link whose picture a name asks for: `abc.qr`. */
export function picturedHash(name: string): string | undefined {
  return name.endsWith('.qr') ? name.slice(0, -'.qr'.length) : undefined;
}

/** The QR code of an address; undefined for one that is too long. */
export async function picture(address: string, search: string): Promise<ServiceResponse | undefined> {
  // Loaded when a picture is asked for: visits do not wait for it.
  const { qrCode, qrSvg } = await import('../output/qr.ts');
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
