import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Linkctl, username } from '../support/linkctl.ts';
import type { World } from '../support/test-system.ts';

/** One command line that talks to a server. */
export interface Subject {
  readonly name: string;
  readonly argv: readonly string[];
  /** The call that faults are put into; what comes before it goes well. */
  readonly call: Call;
  /** Whether that call changes something: then some faults leave it in doubt. */
  readonly changes: boolean;
  readonly stdin?: string;
  /** Which streams are terminals; none without it. */
  readonly terminal?: World['terminal'];
  /** The environment has no account; it is given by flags. */
  readonly withoutAccount?: boolean;
  /** What stands on this machine before the command runs. */
  prepare?(linkctl: Linkctl, folder: string): Promise<void>;
}

export interface Call {
  readonly method: string;
  /** Below the API's root, without the query. */
  readonly path: string;
}

const shorten: Call = { method: 'POST', path: '/urls' };
const list: Call = { method: 'GET', path: '/urls' };
const longUrl = 'https://example.com/';
const yes = ['--yes', '--max-affected', '9'];
/** The API's own call, without the links being listed. */
const atOnce = [...yes, '--no-undo'];

export const subjects: readonly Subject[] = [
  { name: 'shorten', argv: ['shorten', longUrl], call: shorten, changes: true },
  { name: 'shorten -f', argv: ['shorten', '-f', '-'], call: shorten, changes: true, stdin: `${longUrl}\n` },
  { name: 'list', argv: ['list'], call: list, changes: false },
  { name: 'list <hash>', argv: ['list', 'abc'], call: list, changes: false },
  { name: 'list --by-tags', argv: ['list', '--by-tags', 'promo'], call: list, changes: false },
  {
    name: 'edit',
    argv: ['edit', 'abc', '--note', 'another note'],
    call: { method: 'PATCH', path: '/urls/abc' },
    changes: true,
  },
  {
    name: 'edit --by-tags',
    argv: ['edit', '--by-tags', 'promo', '--note', 'another note', ...atOnce],
    call: { method: 'PATCH', path: '/urls' },
    changes: true,
  },
  { name: 'delete', argv: ['delete', 'abc', ...yes], call: { method: 'DELETE', path: '/urls/abc' }, changes: true },
  {
    name: 'delete --by-tags',
    argv: ['delete', '--by-tags', 'promo', ...atOnce],
    call: { method: 'DELETE', path: '/urls' },
    changes: true,
  },
  { name: 'stats', argv: ['stats'], call: list, changes: false },
  { name: 'stats <hash>', argv: ['stats', 'abc'], call: { method: 'GET', path: '/stats/abc' }, changes: false },
  {
    name: 'stats --reset',
    argv: ['stats', '--reset', 'abc', ...yes],
    call: { method: 'DELETE', path: '/stats/abc' },
    changes: true,
  },
  {
    name: 'stats --reset --by-tags',
    argv: ['stats', '--reset', '--by-tags', 'promo', ...atOnce],
    call: { method: 'DELETE', path: '/stats' },
    changes: true,
  },
  { name: 'tags', argv: ['tags'], call: { method: 'GET', path: '/tags' }, changes: false },
  { name: 'tags add', argv: ['tags', 'add', 'promo'], call: { method: 'POST', path: '/tags' }, changes: true },
  {
    name: 'tags rename',
    argv: ['tags', 'rename', 'old', 'promo'],
    call: { method: 'PATCH', path: '/tags/old' },
    changes: true,
  },
  {
    name: 'tags delete',
    argv: ['tags', 'delete', 'promo', ...atOnce],
    call: { method: 'DELETE', path: '/tags/promo' },
    changes: true,
  },
  { name: 'domains', argv: ['domains'], call: { method: 'GET', path: '/domains' }, changes: false },
  { name: 'log', argv: ['log'], call: { method: 'GET', path: '/log' }, changes: false },
  { name: 'account', argv: ['account'], call: { method: 'GET', path: '/account' }, changes: false },
  {
    name: 'auth login',
    argv: ['auth', 'login', '--username', username, '--with-key', '--profile', 'work'],
    call: { method: 'GET', path: '/account' },
    changes: false,
    withoutAccount: true,
  },
  { name: 'auth status', argv: ['auth', 'status'], call: { method: 'GET', path: '/account' }, changes: false },
  {
    name: 'runs verify',
    argv: ['runs', 'verify', 'RUN'],
    call: list,
    changes: false,
    async prepare(linkctl, folder) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'links.txt'), `${longUrl}\n`);
      await linkctl(['shorten', '-f', join(folder, 'links.txt')]);
    },
  },
  {
    name: 'api',
    argv: ['api', 'GET', '/account', '--no-color'],
    call: { method: 'GET', path: '/account' },
    changes: false,
    // A pipe gets the answer as it came.
    terminal: { stdout: true, stderr: true },
  },
];

const record = {
  hash: 'abc',
  long_url: longUrl,
  short_url: 's.ex/abc',
  short_url_with_protocol: 'https://s.ex/abc',
  total_clicks: 7,
  unique_clicks: 3,
  last_visit: '2026-01-31 09:00:00',
  note: 'a note',
  email_stats: false,
  expiration_date: '2031-01-31',
  max_clicks: 0,
  tags: ['promo'],
  links: { qr_small: 'https://s.ex/abc.qr', qr_big: 'https://s.ex/abc.qr2' },
};
const page = { results_count: 1, total_count: 1, offset: 0 };
const done = { error: { code: 0, message: '' } };
const tag = { tags: [{ label: 'promo' }] };

/** What a server in its right mind says to each call, API.md 4.2. */
const goodAnswers: { readonly [call: string]: object } = {
  'POST /urls': { urls: [{ ...record, ...done }] },
  'GET /urls': { urls: [record], page },
  // A change of a selection reads to an empty page.
  'GET tags=promo&offset=': { urls: [], page: { ...page, results_count: 0, offset: 1 } },
  'PATCH /urls/abc': { urls: [{ ...record, note: 'another note', ...done }] },
  'PATCH /urls': {},
  'DELETE /urls/abc': {},
  'DELETE /urls': {},
  'GET /stats/abc': { stats: [{ hash: 'abc', total_clicks: 7, unique_clicks: 3 }] },
  'DELETE /stats/abc': {},
  'DELETE /stats': {},
  'GET /tags': { tags: [{ label: 'old' }] },
  'POST /tags': tag,
  'PATCH /tags/old': tag,
  'DELETE /tags/promo': {},
  'GET /domains': {
    version: '3.1',
    domains: [
      {
        domain: 's.ex',
        hash_character_set: 'restricted',
        hash_generation: 'random',
        status: 'default',
        custom_root_page: '',
        custom_404_page: '',
        redirect_code: '303',
        use_https: true,
      },
    ],
  },
  'GET /log': {
    version: '3.1',
    page,
    links: { rss_url: 'https://s.ex/rss', atom_url: 'https://s.ex/atom' },
    log: [
      {
        message: 'an entry',
        time: '2026-01-31 09:00:00',
        type: 'notification',
        satellite_username: null,
        links: { object_url: 'https://s.ex/abc', help_url: null },
      },
    ],
  },
  'GET /account': {
    account: {
      user_id: 'u1',
      username,
      account_expiration_date: '2031-01-31 00:00:00',
      subscription_plan: 'gold',
      counters: { urls: { count: 1, limit: 10 }, today_api_calls: { count: 1, limit: 1000 } },
    },
  },
};

export function goodAnswer({ method, path }: Call): object {
  return { ...done, ...goodAnswers[`${method} ${path}`] };
}

export const goodCalls: readonly Call[] = Object.keys(goodAnswers).map((call) => {
  const [method = '', path = ''] = call.split(' ');
  return { method, path };
});
