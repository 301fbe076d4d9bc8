import { exitCodes } from '../base/errors.ts';
import { type Field, type FieldUse, fieldNames, fields } from '../contract/fields.ts';
import { flagVariables, globalFlagRows } from '../flags/globals.ts';
import { columns, wrap } from './text-layout.ts';
import type { TopicName } from './topic-names.ts';

/** One part of a topic: a paragraph, rows of a term and its meaning, or lines to be typed as they stand. */
export type Part = string | readonly (readonly [term: string, meaning: string])[] | { readonly lines: readonly string[] };

export interface Topic {
  readonly summary: string;
  readonly parts: readonly Part[];
}

/** What `linkctl help <topic>` prints, at most 80 columns wide. */
export function topicText(name: TopicName): string {
  const { summary, parts } = topics[name];
  return `${[`${summary}.`, ...parts.map(partText)].join('\n\n')}\n`;
}

function partText(part: Part): string {
  if (typeof part === 'string') return wrap(part, 80).join('\n');
  return ('lines' in part ? part.lines.map((line) => `  ${line}`) : columns(part)).join('\n');
}

const flags: Topic = {
  summary: 'Global flags',
  parts: ['These stand in any position, before and after the command.', globalFlagRows()],
};

const environment: Topic = {
  summary: 'Environment variables',
  parts: [
    'A flag beats a variable, a variable beats the profile, the profile beats what is built in.',
    flagVariables()
      .filter(({ name }) => name.startsWith('LINKCTL_'))
      .map(({ name, long, summary }) => [name, `as ${long}: ${summary}`]),
    'Without a flag:',
    [
      [
        'LINKCTL_API_KEY',
        'the API key itself. Other programs of yours can see it: LINKCTL_API_KEY_FILE is safer, a profile safest',
      ],
      ['LINKCTL_CONFIG_DIR', 'folder of config.json'],
    ],
    'Credentials are one set: the base URL, the username and the key are taken together, from flags and environment or from one profile, and never mixed. With --profile the variables of the set are not read. The edition is a when the set does not say.',
    'Colour, in the order of their say:',
    [
      ['NO_COLOR', 'not empty: no colour'],
      ['FORCE_COLOR', '0 or false: no colour; anything else: colour in pipes too'],
      ['CLICOLOR_FORCE', 'not 0: colour in pipes too'],
      ['CLICOLOR', '0: no colour'],
      ['TERM', 'dumb: no colour, no moving lines'],
    ],
    'What many programs read:',
    [
      ['COLUMNS', 'width of tables where the terminal does not tell its own'],
      ['CI', 'not empty: never asks, shows no progress'],
      ['HTTP_PROXY, HTTPS_PROXY', 'proxy for http:// and https:// servers; in lower case too'],
      ['NO_PROXY', 'hosts that are reached without it'],
      ['NODE_EXTRA_CA_CERTS', 'file of certificates to trust, as --ca-file'],
      ['XDG_CONFIG_HOME', 'config.json is in linkctl/ below it; else below ~/.config'],
      ['XDG_CACHE_HOME', 'tags and domains for TAB; else ~/.cache'],
      ['XDG_STATE_HOME', 'journals and rows of bulk runs; else ~/.local/state'],
      ['XDG_DATA_HOME', 'links of the sandbox; else ~/.local/share'],
    ],
    'An XDG value that is not an absolute path is ignored. On Windows the folders are below %APPDATA% and %LOCALAPPDATA%.',
  ],
};

const exitMeanings: { readonly [K in keyof typeof exitCodes]: string } = {
  ok: 'everything asked for was done; also an empty listing, a tag selection that matched nothing, --dry-run',
  failed: 'a failure without a better code; a question answered with no',
  usage: 'a wrong flag, operand or input file; --yes missing where nobody can be asked. Nothing that changes anything was sent',
  partial: 'the run reached its end; some items were done, some were refused',
  auth: 'no credentials, or the server does not accept them, or the account is inactive',
  not_found: 'a URL, tag or domain that was named does not exist (0 with --ignore-missing)',
  rejected: 'the server refused the values; repeating them unchanged is pointless',
  limit: 'a quota, --budget or a rate limit: run the same command again later',
  unavailable: 'network, timeout, 5xx or an unreadable answer; nothing is in doubt: run the same command again',
  local: 'something on this machine: configuration, files, locks, a full disk, an unknown profile, a wrong base URL',
  unknown: 'the outcome of at least one item is not known: look before repeating; the message says how',
  empty: 'nothing matched, and --fail-empty was given',
};

const exitCodesTopic: Topic = {
  summary: 'Exit codes',
  parts: [
    (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).map((kind) => [
      `${exitCodes[kind]}`.padEnd(3) + kind.replace('_', ' '),
      exitMeanings[kind],
    ]),
    [
      ['129', 'ended by SIGHUP'],
      ['130', 'ended by SIGINT, Ctrl-C'],
      ['143', 'ended by SIGTERM'],
    ],
    'What stopped a run beats what its items got: 10, then 9, then the signal, then 4, 7, 8. Only a run that reached its end gives 3; one in which every item was refused gives the code of their reason, or 1 for several reasons.',
    'A script treats a code that it does not know as a failure. For cron:',
    {
      lines: [
        'for file in outbox/*.csv; do',
        '  [ -e "$file" ] || continue',
        '  linkctl -q shorten -f "$file" --failed "$file.failed" > "$file.urls"',
        '  case $? in',
        '    0) ;;',
        '    3|5|6) mail -s "links refused" you@example.com < "$file.failed" ;;',
        '    7|8) exit 0 ;;  # the file stays, and the next run continues',
        '    *) exit 1 ;;',
        '  esac',
        '  mv "$file" "$file".* done/',
        'done',
      ],
    },
  ],
};

const formats: Topic = {
  summary: 'Output formats',
  parts: [
    'One flag chooses: -o, --output. The default is table on a terminal and tsv in a pipe; LINKCTL_OUTPUT or the profile (linkctl config set output json) say otherwise. Every format holds the same rows. stdout holds what was asked for and nothing else; summaries, warnings and progress go to stderr. On a terminal a run of more than 20 rows lists none of them: --results <file>, -o or a pipe does.',
    [
      ['table', 'for people: fits the terminal, long cells end in an ellipsis (--no-truncate), headed (--no-header)'],
      [
        'tsv',
        'a line a record, TAB between cells, no head (--header); a backslash, TAB, CR or LF in a value is written \\\\, \\t, \\r or \\n; lists are joined with commas',
      ],
      [
        'csv',
        'RFC 4180 with LF line ends, headed (--no-header); shorten -f reads it back. --formula-guard puts a quote sign before cells that a spreadsheet would run',
      ],
      [
        'json',
        'one document, keyed as the API keys it: {"urls":[…],"page":{…}}; two spaces on a terminal, one line in a pipe. --json is -o json',
      ],
      ['jsonl', 'one object a line, written as each page arrives: linkctl list -o jsonl | head -3 makes one request'],
    ],
    '--hashes-from reads what list prints, in any of these formats: a first line that is the name of a column is a head. A link called hash stands there as its short URL.',
    '--fields hash,long_url picks the fields and their order in every format; without it json and jsonl have all of them, unknown ones of the server included. A name that no record has is an error that lists the names.',
    'A run that was interrupted and goes on tells of the rows that were done before what they asked for, hash, short URL and long URL; linkctl list tells the rest of a record.',
    'Date-times are UTC, as 2026-01-31T09:00:00Z in text formats and as the server gave them in JSON; dates are 2026-01-31. null is kept in JSON and empty elsewhere.',
    'The key that holds the rows in JSON:',
    [
      ['shorten', 'urls, summary'],
      ['list', 'urls, page'],
      ['edit', 'urls, summary'],
      ['delete', 'deleted, summary'],
      ['stats', 'stats; with --reset reset, summary'],
      ['tags, domains', 'tags, domains'],
      ['log', 'log, page'],
      ['account', 'account'],
    ],
    'With -o json or jsonl a failure is one JSON line on stderr, here in two:',
    { lines: ['{"error":{"code":5,"kind":"not_found","api_code":1306,', ' "message":"…","hint":"…","profile":"work"}}'] },
    'New fields may come within a major version; none goes. A JSON Schema of each output, by its command; a line of jsonl is an element of its list:',
    { lines: ['linkctl help formats --json', "linkctl help formats --json | jq '.list' > list.schema.json"] },
  ],
};

const csv: Topic = {
  summary: 'Input files: csv, jsonl and lines',
  parts: [
    'shorten -f and edit -f read a file, or stdin for -. The extension says what it is (.csv, .jsonl, .ndjson, .txt), or --input-format does; anything else is one URL a line, where blank lines and lines that begin with # are passed over. Text is UTF-8, with or without a byte order mark, LF or CRLF.',
    'A csv file has a header of field names, in any order; jsonl has an object of them on each line. An empty cell is as if the column were not there; "never" takes a date away, and in jsonl "" empties a note. Columns of shorten:',
    fieldRows('shorten'),
    'Columns of edit; hash or short_url names the short URL to change. On an account of several domains a hash alone does not: short_url, domain or --domain says where it is:',
    fieldRows('edit'),
    "Tags are separated by commas; a label that holds a comma or begins with a double quote stands in double quotes of its own, doubled as csv wants. In an edit, +label attaches and -label detaches; a label alone attaches. A row's own value beats the flag.",
    'A listing is such a file: linkctl list -o csv > links.csv and shorten -f links.csv make the same links again. Its hash is read as custom_hash by shorten, and what cannot be set (clicks, short_url, …) is passed over. Any other column is an error, or ignored and named with --ignore-unknown-columns; one that looks like a field is an error all the same.',
    'The whole file is checked before anything is sent, and what is wrong with it is told with its line, up to 20 places. Until they are sent, its rows take about twice the room of the file in the state folder; what comes through a pipe takes its own room twice more, once of it for as long as the journal of the run is kept. XDG_STATE_HOME moves the folder: linkctl help environment.',
    {
      lines: [
        'linkctl shorten --print-template > links.csv',
        'linkctl shorten -f links.csv --results done.csv --failed refused.csv',
        "linkctl shorten -f export.csv --delimiter ';'",
      ],
    },
  ],
};

function fieldRows(use: FieldUse): (readonly [string, string])[] {
  const required = { shorten: 'long_url', edit: '', 'edit-by-tags': '' }[use];
  const rows = fieldNames(use, 'a').map((name): [string, string] => {
    const { edition, summary, length }: Field = fields[name];
    const meaning = use === 'edit' && name === 'custom_hash' ? 'the new hash' : summary;
    const bound = length && length.max > 1 ? `, up to ${length.max} characters` : '';
    return [
      name,
      `${edition ? `[edition ${edition.toUpperCase()}] ` : ''}${meaning}${bound}${name === required ? ' (required)' : ''}`,
    ];
  });
  if (use !== 'edit') return rows;
  return [
    ['hash', 'the short URL to change'],
    ['short_url', 'the same with its domain'],
    ['domain', '[edition A] where the hash is'],
    ...rows,
  ];
}

const tags: Topic = {
  summary: 'Tags and tag expressions',
  parts: [
    '--tag, --add-tag and --remove-tag take one label each, may be given several times, and attach or detach; a comma is a part of the label. --by-tags takes an expression and selects URLs. Labels are compared without regard to case.',
    'An expression is sent to the server exactly as typed; quote it, since most of its signs mean something to the shell. What servers are known to understand:',
    [
      ['label', 'has the tag'],
      ['~label', 'has it not'],
      ['one & two', 'has both; a comma or a semicolon means the same'],
      ['one | two', 'has at least one'],
      ['one ^ two', 'has exactly one'],
      ['( … )', 'brackets group; use them rather than rely on what binds tighter'],
    ],
    {
      lines: [
        "linkctl list --by-tags 'spring & ~expired'",
        "linkctl stats --by-tags '(mail | web) & ~internal'",
        "linkctl edit --by-tags 'spring' --expires +30d --dry-run",
        "linkctl delete --by-tags 'old' --max-affected 200",
      ],
    },
    'A selection acts on all domains of the account: --domain cannot be given with it. An expression that matches nothing is no failure; an empty one is refused, as it must not select everything. Editing by tags can set note, expiration date, mailed statistics and, on edition A, maximum clicks.',
    'delete, edit and stats --reset first ask the server how many URLs are selected, and you confirm by typing that number; where nobody can be asked, --yes and --max-affected are both needed.',
  ],
};

export const topics: { readonly [T in TopicName]: Topic } = {
  flags,
  environment,
  'exit-codes': exitCodesTopic,
  formats,
  csv,
  tags,
};
