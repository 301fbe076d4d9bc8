import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { bulk } from './bulk.js';
import { changes } from './changes.js';
import { check } from './check.js';
import { engines } from './engines.js';
import { heldDatabase } from './held-database.js';
import { listing } from './listing.js';
import { memory } from './memory.js';
import { service } from './service.js';
import { startUp } from './start-up.js';
import { tagPages } from './tag-pages.js';
import { createWorld } from './world.js';

/**
 * `npm run bench`: everything that README.md has a budget for, side by side with its baseline in the same run, as a table in
 * Markdown. `--quick` takes small sizes; `--only start-up,bulk` takes a part. `--only engines --store
 * postgresql://…` compares the engines of the service, with an empty database and `--links` many links (1,000,000); `--only tag-pages` does so
 * for pages of tag expressions (200,000), and `--only held-database` measures waits while locks or the network hold the database up.
 */
const parts = { 'start-up': startUp, bulk, changes, memory, listing, service, check };
/** Only on demand: it needs a database. */
const extra = { engines, 'tag-pages': tagPages, 'held-database': heldDatabase };
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    store: { type: 'string' },
    links: { type: 'string' },
  },
});
const chosen = values.only?.split(',') ?? Object.keys(parts);

const world = { ...createWorld({ quick: values.quick }), ...values };
const say = (line) => process.stdout.write(`${line}\n`);
try {
  // Reading these certificates takes Node longer than to start: with them every ratio to `node -e 0` is another.
  const certificates = process.env.NODE_EXTRA_CA_CERTS ? ', NODE_EXTRA_CA_CERTS set' : '';
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  say(`Node ${process.versions.node}, ${machine}${certificates}${values.quick ? ', small sizes' : ''}\n`);
  say('| What | Measured | Budget | |');
  say('|---|---|---|---|');
  for (const name of chosen) for (const row of await { ...parts, ...extra }[name](world)) say(tableLine(row));
} finally {
  world.remove();
}

function tableLine({ what, unit, value, most, least, note = '' }) {
  const budget = most !== undefined ? `<= ${most}` : least !== undefined ? `>= ${least}` : '';
  const isMissed = value > (most ?? Number.POSITIVE_INFINITY) || value < (least ?? 0);
  return `| ${what} | ${shown(value)} ${unit} | ${budget}${isMissed ? ' **missed**' : ''} | ${note} |`;
}

function shown(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
