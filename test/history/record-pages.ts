import { randomBytes } from 'node:crypto';
import type { UrlRecord } from '../../src/contract/records.ts';

export const childAccount = { server: 'https://api.example/api/3', username: 'ann' };

/** A page of 1,000 links that are hard to compress; each was clicked so often. */
export function pageOf(page: number, clicks: number): UrlRecord[] {
  return Array.from({ length: 1000 }, (_, nth) => ({
    hash: `h${page}-${nth}`,
    short_url: `s.example/h${page}-${nth}`,
    long_url: `https://a.example/${clicks === 0 ? randomBytes(40).toString('base64url') : nth}`,
    total_clicks: clicks,
    unique_clicks: 0,
    note: '',
    email_stats: false,
    expiration_date: null,
    tags: [],
    links: { qr_small: '', qr_big: '' },
  }));
}
