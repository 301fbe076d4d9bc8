import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes a CSV of `count` rows, 140 bytes each, for `shorten -f`; the canned server knows their form. `last` is a line of one's own. */
export function writeRows(path, count, { last } = {}) {
  const file = openSync(path, 'w');
  writeSync(file, 'custom_hash,long_url,note,tags,email_stats\n');
  for (let start = 0; start < count; start += 10_000) {
    let text = '';
    for (let row = start; row < Math.min(start + 10_000, count); row++) text += `${line(row)}\n`;
    writeSync(file, text);
  }
  if (last !== undefined) writeSync(file, `${last}\n`);
  closeSync(file);
}

function line(row) {
  const digits = String(row).padStart(8, '0');
  return `h${digits},https://shop.example.com/catalogue/item/${digits}?utm_source=newsletter,"spring sale, week 12","spring,sale,home-and-garden",false`;
}
