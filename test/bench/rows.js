import { closeSync, openSync, writeSync } from 'node:fs';

/** Files of rows that the canned server knows, by the command that reads them. */
const files = {
  /** For `shorten -f`, 140 bytes a row. */
  shorten: {
    header: 'custom_hash,long_url,note,tags,email_stats',
    line: (digits) =>
      `h${digits},https://shop.example.com/catalogue/item/${digits}?utm_source=newsletter,"spring sale, week 12","spring,sale,home-and-garden",false`,
  },
  /** The same links as another service exports them. */
  foreign: {
    header: 'Bitlink,Long URL,Title,Tags,Created,Total Clicks',
    line: (digits) =>
      `https://sho.rt/h${digits},https://shop.example.com/catalogue/item/${digits}?utm_source=newsletter,"spring sale, week 12","spring,sale,home-and-garden",2031-01-31,7`,
  },
  /** For `edit -f`. */
  edit: { header: 'hash,note', line: (digits) => `h${digits},"autumn sale, week 40"` },
  /** For `--hashes-from`. */
  hashes: { header: '# one hash a line', line: (digits) => `h${digits}` },
};

/** Writes a file of `count` rows; `last` is a line of one's own. */
export function writeRows(path, count, { last, form = 'shorten' } = {}) {
  const { header, line } = files[form];
  const file = openSync(path, 'w');
  writeSync(file, `${header}\n`);
  for (let start = 0; start < count; start += 10_000) {
    let text = '';
    for (let row = start; row < Math.min(start + 10_000, count); row++) text += `${line(String(row).padStart(8, '0'))}\n`;
    writeSync(file, text);
  }
  if (last !== undefined) writeSync(file, `${last}\n`);
  closeSync(file);
}
