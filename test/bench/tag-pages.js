import { serve } from './engines.js';
import { load } from './load.js';
import { median } from './processes.js';
import { fill, timed } from './service.js';

/** Of ten links, of ninety and of 2,400 one has the tag; of eleven, one has been visited. The last are searches within tags. */
const selections = [
  { tags: 'ten-1' },
  { tags: 'ten-1|ten-2' },
  { tags: 'ten-1&ninety-7' },
  { tags: '(ten-1|ten-2)&~ninety-7' },
  { tags: '(ten-1|ten-2)&(ninety-7|ninety-8)' },
  { tags: '~ten-1' },
  { tags: 'ten-1^ninety-7' },
  { tags: 'visited' },
  { tags: '~visited' },
  { tags: 'visited&ten-1' },
  { tags: 'visited|ten-1' },
  { tags: '(ten-1&ninety-7)|(ten-2&ninety-8)' },
  { tags: '((ten-1|ten-2)&~visited)^ninety-7' },
  { tags: 'many-7' },
  { tags: 'many-7|many-9' },
  { tags: 's.example&~ten-1' },
  { tags: 'ten-1', search: 'item/12' },
  { tags: 'ten-1&ninety-7', search: 'spring' },
  { tags: 'visited', search: 'item/12' },
  { tags: '~ten-1', search: 'item/1234' },
];
const orders = ['created', 'clicks', 'hash', 'modified'];
/** At least, and at most: a page of a few milliseconds is taken more often, for as many seconds. */
const turns = { least: 3, most: 15, seconds: 0.3 };
const warmUps = 1;

/** Pages of tag expressions in every order at several offsets, both engines in turn right after an import. */
export async function tagPages(world) {
  if (!world.store) throw new Error('--only tag-pages needs --store postgresql://… with an empty database');
  const total = Number(world.links ?? (world.quick ? 20_000 : 200_000));
  const filled = await serve(world, []);
  await fill(filled.api, total);
  const paths = Array.from({ length: Math.ceil(total / 11) }, (_, index) => `/h${String(11 * index).padStart(8, '0')}`);
  await load(filled.origin, { paths, seconds: total / 50_000 });
  await filled.stop();
  const postgres = await serve(world, ['--store', world.store, '--import', world.path('data')]);
  const sqlite = await serve(world, []);
  try {
    const rows = [];
    for (const selection of selections) rows.push(...(await pagesOf(selection, [sqlite.api, postgres.api])));
    const ratios = rows.map(({ value }) => value);
    const note = `${ratios.filter((ratio) => ratio <= 2).length} of ${rows.length} within 2`;
    return [...rows, { what: 'pages of tags, median', unit: 'x SQLite', value: median(ratios), most: 2, note }];
  } finally {
    for (const service of [sqlite, postgres]) await service.stop();
  }
}

async function pagesOf(selection, both) {
  const { page } = await both[0].send('GET', path({ ...selection, limit: 1 }));
  const middle = Math.floor(page.total_count / 2);
  const offsets = new Set([0, 500, 5000, middle].filter((offset) => offset <= page.total_count));
  const rows = [];
  for (const order_by of orders) {
    for (const offset of offsets) {
      const [sqlite, postgres] = await compared(both, path({ ...selection, order_by, limit: 1000, offset }));
      const searched = selection.search ? ` with ${selection.search}` : '';
      const what = `\`${selection.tags.replaceAll('|', '\\|')}\`${searched} by ${order_by} at ${offset}`;
      const note = `${postgres.toFixed(1)}, ${sqlite.toFixed(1)} ms`;
      rows.push({ what, unit: 'x SQLite', value: postgres / sqlite, most: 2, note });
    }
  }
  return rows;
}

/** The median times of each, which must answer alike. */
async function compared(both, asked) {
  const times = both.map(() => []);
  const started = performance.now();
  const isEnough = (taken) => taken >= turns.most || (taken >= turns.least && performance.now() - started > 1000 * turns.seconds);
  for (let turn = 0; !isEnough(turn - warmUps); turn++) {
    const answers = [];
    for (const [index, api] of both.entries()) {
      const time = await timed(async () => answers.push(JSON.stringify(await api.send('GET', asked))));
      if (turn >= warmUps) times[index].push(time);
    }
    if (answers[0] !== answers[1]) throw new Error(`the engines answer differently: ${asked}`);
  }
  return times.map(median);
}

function path(query) {
  return `/urls?${new URLSearchParams(query)}`;
}
