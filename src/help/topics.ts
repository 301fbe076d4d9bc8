import { exitCodes } from '../base/errors.ts';
import { wrap } from '../base/wrap.ts';
import { type Field, fieldNames, fields } from '../contract/fields.ts';
import type { Format } from '../contract/formats.ts';
import { sharedFlags } from '../flags/bulk-flags.ts';
import { flagVariables, globalFlagRows } from '../flags/globals.ts';
import type { TopicName } from './stored-tree.ts';
import { columns } from './text-layout.ts';

/** A paragraph, a list of terms, or lines to copy. */
export type Part = string | readonly (readonly [term: string, meaning: string])[] | { readonly lines: readonly string[] };

interface Topic {
  readonly summary: string;
  readonly parts: readonly Part[];
}

/** At most 80 columns wide. */
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
  parts: [
    'Global flags can be given anywhere, before or after the command.',
    globalFlagRows(),
    'Servers come in two editions. On edition A, an account can have several domains, and there is an activity log. On edition B, an account has one domain. auth login finds the edition and stores it in the profile.',
  ],
};

const environment: Topic = {
  summary: 'Environment variables',
  parts: [
    'Precedence: flag, environment variable, profile, built-in default. For color, the profile comes before the variables.',
    flagVariables()
      .filter(({ name }) => name.startsWith('LINKCTL_'))
      .map(({ name, long, summary }) => [name, `same as ${long}: ${summary}`]),
    'Variables without a flag:',
    [
      ['LINKCTL_API_KEY', 'API key. Your other programs can read it; prefer LINKCTL_API_KEY_FILE or a profile'],
      ['LINKCTL_CONFIG_DIR', 'folder that contains config.json, as an absolute path'],
      ['LINKCTL_STORE', 'same as serve --store: PostgreSQL database for the links'],
    ],
    'The base URL, username and API key form one set. The set comes either from flags and environment variables or from one profile, never from both. With --profile, the variables of the set are ignored. The default edition is a. serve reads LINKCTL_EDITION, but no other variable of the set, and not LINKCTL_DOMAIN.',
    'Color, in order of precedence:',
    [
      ['NO_COLOR', 'not empty: no color'],
      ['FORCE_COLOR', '0 or false: no color; any other value: color, even in pipes'],
      ['CLICOLOR_FORCE', 'not 0: color, even in pipes'],
      ['CLICOLOR', '0: no color'],
      ['TERM', 'dumb: no color, no cursor movement'],
    ],
    'Standard variables:',
    [
      ['COLUMNS', 'table width, if the terminal does not report one'],
      ['CI', 'not empty: no prompts, no progress'],
      ['HTTP_PROXY, HTTPS_PROXY', 'proxy for http:// and https:// servers; lower case also works'],
      ['NO_PROXY', 'hosts to reach without a proxy. Loopback addresses never use one'],
      ['NODE_EXTRA_CA_CERTS', 'file of additional certificates to trust, like --ca-file'],
      ['PGPASSWORD, PGPASSFILE', 'password of the database of serve --store, or a file of passwords'],
      ['XDG_CONFIG_HOME', 'parent folder of linkctl/config.json (default: ~/.config)'],
      ['XDG_CACHE_HOME', 'cached tags and domains for completion (default: ~/.cache)'],
      ['XDG_STATE_HOME', 'records of bulk runs (default: ~/.local/state)'],
      ['XDG_DATA_HOME', 'links of the sandbox, click histories (default: ~/.local/share)'],
    ],
    'XDG values that are not absolute paths are ignored. On Windows the folders are in %APPDATA% and %LOCALAPPDATA%.',
  ],
};

const exitMeanings: { readonly [K in keyof typeof exitCodes]: string } = {
  ok: 'success; also an empty listing, a tag selection without matches, or --dry-run',
  failed: 'a failure without a more specific code, or a question answered with no',
  usage: 'invalid flag, operand or input file, or missing --yes without a terminal. Nothing was changed',
  partial: 'the run completed; some items succeeded, some were rejected. For linkctl check: something is broken',
  auth: 'credentials are missing or rejected, or the account is inactive',
  not_found: 'a named link, tag or domain does not exist (0 with --ignore-missing)',
  rejected: 'the server rejected the values; correct them before running again',
  limit: 'quota, --budget or rate limit reached; run the same command again later',
  unavailable: 'network error, timeout, HTTP 5xx or unreadable response. Every outcome is known; run the same command again',
  local: 'local problem: configuration, files, locks, full disk, unknown profile or wrong base URL',
  unknown: 'the outcome of at least one item is unknown. Check before you repeat the command; the message says how',
  empty: 'no matches, with --fail-empty',
  different: 'linkctl diff found differences between the file and the account',
};

/**
 * The lock ends with the last process that holds it. Results are replaced as a whole by the command that continues their run, and never by a
 * command that is refused.
 */
export const cronScript: readonly string[] = [
  'exec 9> outbox.lock && flock -n 9 || exit 0 # an earlier run is still working',
  'day=$(date +%F-%H%M%S)',
  'for file in outbox/*.csv; do',
  '  [ -e "$file" ] || continue',
  '  linkctl -q shorten -f "$file" --results "$file.results" \\',
  '    --failed "$file.failed" > /dev/null 2> "$file.errors"',
  '  code=$?',
  '  # Completed before a crash of this script: the results are whole.',
  '  grep -q "already completed" "$file.errors" && [ -s "$file.results" ] &&',
  '    ! grep -Evq "^(row|[0-9]+,(created|existing))," "$file.results" && code=0',
  '  case $code in',
  '    0) to=done ;;',
  '    1 | 2 | 3 | 5 | 6) to=rejected',
  '      mail -s "$file: rejected" you@example.com < "$file.errors" ;;',
  '    7 | 8) exit 0 ;; # a limit, or no answer: the next run continues',
  '    *) mail -s "linkctl needs you" you@example.com < "$file.errors"; exit 1 ;;',
  '  esac',
  '  mkdir -p "$to/$day" || exit',
  '  for made in "$file" "$file.results" "$file.failed" "$file.errors"; do',
  '    [ ! -e "$made" ] || mv "$made" "$to/$day"',
  '  done',
  'done',
];

const exitCodesTopic: Topic = {
  summary: 'Exit codes',
  parts: [
    (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).map((kind) => [
      `${exitCodes[kind]}`.padEnd(3) + kind.replace('_', ' '),
      exitMeanings[kind],
    ]),
    [
      ['129', 'terminated by SIGHUP'],
      ['130', 'terminated by SIGINT (Ctrl-C)'],
      ['143', 'terminated by SIGTERM'],
    ],
    'If several apply, the first of 10, 9, 128+signal, 4, 7, 8 is used. Code 3 means that the run completed. If every item was rejected, the code is that of the reason, or 1 for several reasons.',
    'Scripts should treat unknown codes as failures. Example for cron, which processes each new file in outbox/ exactly once. The short URLs are in its .results file. A file with rejected rows is moved to rejected/, with those rows in its .failed file. The script requires flock, which is part of Linux:',
    { lines: cronScript },
  ],
};

const formatMeanings: { readonly [F in Format]: string } = {
  table: 'fits the terminal, with a header (--no-header); long cells are shortened (--no-truncate)',
  tsv: 'one record per line, TAB between cells, no header (--header). Backslash, TAB, CR and LF in values become \\\\, \\t, \\r and \\n; lists are joined with commas. Other control characters and most invisible ones become hex numbers: \\x1b, \\u202e, \\u{e0041}',
  csv: 'RFC 4180 with LF line ends and a header (--no-header); shorten -f reads it. --formula-guard puts a quote before cells that a spreadsheet would run as formulas',
  json: 'one document with the keys of the API: {"urls":[...],"page":{...}}. Indented on a terminal, one line in a pipe. --json is the same',
  jsonl: 'one object per line, written as each page arrives: linkctl list -o jsonl | head -3 does not read all pages',
};

const formats: Topic = {
  summary: 'Output formats',
  parts: [
    '-o, --output selects the format. The default is table on a terminal and tsv in a pipe. LINKCTL_OUTPUT or the profile (linkctl config set output json) changes the default. All formats contain the same rows. JSON also contains what failed or does not exist, with the member error; other formats report it on stderr only. stdout contains only the requested data; summaries, warnings and progress go to stderr. On a terminal, a run of more than 20 rows does not list them. To get the rows, use --results <file>, -o or a pipe.',
    Object.entries(formatMeanings),
    '--hashes-from reads what list prints as csv, json or jsonl, as tsv with --header, or with --fields short_url. A listing without links changes nothing; an empty file is an error, an empty pipe is not. A first line that is a column name is a header. Write a link whose hash is a column name as its short URL.',
    '--fields hash,long_url selects and orders the fields in every format. Without it, json and jsonl contain all fields that the server sends. An unknown name is an error that lists the valid names.',
    'When a run resumes, rows done earlier show only the hash, both URLs and the values of the input. linkctl list shows complete records.',
    'Times are UTC: 2026-01-31T09:00:00Z in text formats, as sent by the server in JSON. Dates are 2026-01-31. null is null in JSON and empty elsewhere; a URL that the server left empty is null, too. Integers of the server that are too large for a number are text in JSON, with all digits. Clicks, max_clicks and account counters are rounded instead.',
    'JSON keys:',
    [
      ['shorten', 'urls, summary'],
      ['list', 'urls, page'],
      ['edit, rewrite, apply', 'urls, summary'],
      ['check', 'checks, summary'],
      ['diff', 'differences, summary'],
      ['delete', 'deleted, summary'],
      ['stats', 'stats; with --reset reset, summary'],
      ['stats --since', 'clicks, period, summary'],
      ['stats --record', 'recorded, history'],
      ['tags, domains', 'tags, domains'],
      ['log', 'log, page'],
      ['account', 'account'],
      ['runs', 'runs; runs verify: discrepancies'],
    ],
    'With -o json or jsonl, an error is one JSON line on stderr (shown here in two):',
    { lines: ['{"error":{"code":5,"kind":"not_found","api_code":1306,', ' "message":"...","hint":"...","profile":"work"}}'] },
    'Within a major version, fields may be added; none is removed. A JSON Schema describes the output of each command without --fields. The schema --dry-run describes dry runs, and error describes errors. A line of jsonl is one element of a list:',
    { lines: ['linkctl help formats --json', "linkctl help formats --json | jq '.list' > list.schema.json"] },
  ],
};

const csv: Topic = {
  summary: 'Input files: csv, jsonl and lines',
  parts: [
    'shorten -f and edit -f read a file, or stdin with -f -. The file extension (.csv, .json, .jsonl, .ndjson, .txt) or --input-format sets the format. Other input that begins with { or [ is JSON. Anything else has one URL per line; blank lines and lines that start with # are skipped. If a file could be either a plain list or csv without a header, set --input-format. Text is UTF-8, with or without a byte order mark, LF or CRLF. For other text, add --encoding windows-1252, or any name that browsers know.',
    'A csv file has a header of field names, in any order and spelling (Long URL is long_url). The delimiter is found from the header. JSON is an array of objects, an object with one such array, or an object on each line. An empty cell means that the field is not set. "never" removes an expiration date. In JSON, "" clears a note, expiration_date or max_clicks. Columns of shorten:',
    fieldRows('shorten'),
    'Columns of edit. Give hash or short_url. On an account with several domains, a hash also needs the column domain or the flag --domain:',
    fieldRows('edit'),
    'Separate tags with commas. Put a label in double quotes if it contains a comma or starts with a double quote. In csv, double these quotes. In edit, +label or label attaches and -label detaches. Add + before a label that itself begins with + or -, also in a listing. A value in a row overrides the flag.',
    'A listing is a valid input file: after linkctl list -o csv > links.csv, shorten -f links.csv creates the same links again. shorten reads hash as custom_hash and skips read-only columns (clicks, ...). Columns that you add do not change how those of the listing are read. Unknown columns and JSON members are ignored and named; --strict-columns refuses them. Flags such as --encoding and --columns describe the file, not its --base. Column names similar to a field are always errors. In a JSON listing, such names may come from the server, so they are ignored, too.',
    'Exports of other services need no flag. Their names for columns are known (Destination URL, Slashtag, Title, ...), and one line shows how each column is interpreted. Without a header, the columns are URL, hash and note. A title and empty rows above the header are skipped. Without a hash column, the last part of a short URL is the hash. Columns utm_source, utm_medium, ... set parameters of the long URL. Tags are separated by commas, or else by semicolons or pipes. If a column name is ambiguous, say which field it is with --columns:',
    {
      lines: [
        "linkctl shorten -f export.csv --columns 'long_url=Page,custom_hash=Code'",
        'linkctl shorten -f export.csv --dry-run',
      ],
    },
    'Rows whose link is protected or disabled in the other service are skipped, and the exit code is 3. Examples are a password, archived, deleted_at, a status other than active, or a start date in the future. The same command with --include-protected creates them as public links. Other values without a field here are counted: not carried over: geo (3 rows).',
    'Dates are 2031-12-31, a date-time (its day in UTC), today, tomorrow, +30d, +2w, +6m, +1y or never. For 31.12.2031, 12/31/2031 or 2031/12/31, add --date-format dmy, mdy or ymd.',
    'Flags for files:',
    sharedFlags.csv.map(([flags, summary]) => [flags, summary]),
    'The whole file is checked before anything is sent. Up to 20 problems are listed with their lines. A file with new rows below those of an earlier run needs --dedupe, or --again for second links. A run temporarily needs about twice the size of the file in the state folder. Piped input needs two more copies; one is kept as long as the record of the run. XDG_STATE_HOME sets the folder: linkctl help environment. A run can be resumed and undone only with the same state folder.',
    '--failed writes csv with commas in UTF-8, or JSON Lines if the file name ends in .jsonl. It contains the failed rows, but not the values of flags. Correct the rows, and run the file with the same --domain, --tag and other values. Omit flags that describe the first file, such as --delimiter, --encoding and --columns.',
    {
      lines: [
        'linkctl shorten --print-template > links.csv',
        'linkctl shorten -f links.csv --results done.csv --failed refused.csv',
      ],
    },
  ],
};

function fieldRows(use: 'shorten' | 'edit'): (readonly [string, string])[] {
  const required = use === 'shorten' ? 'long_url' : undefined;
  const rows = fieldNames(use, 'a').map((name): [string, string] => {
    const { edition, summary, length }: Field = fields[name];
    const meaning = use === 'edit' && name === 'custom_hash' ? 'new hash; new_hash is accepted, too' : summary;
    const bound = length && length.max > 1 ? `, up to ${length.max} characters` : '';
    return [
      name,
      `${edition ? `[edition ${edition.toUpperCase()}] ` : ''}${meaning}${bound}${name === required ? ' (required)' : ''}`,
    ];
  });
  if (use !== 'edit') return rows;
  return [
    ['hash', 'hash of the link to change'],
    ['short_url', 'short URL of the link, instead of hash'],
    ['domain', '[edition A] domain of the hash'],
    ...rows,
  ];
}

const tags: Topic = {
  summary: 'Tags and tag expressions',
  parts: [
    '--tag, --add-tag and --remove-tag attach or detach one tag each and are repeatable. A comma is part of the label. --by-tags selects links by an expression. Labels are not case-sensitive.',
    'An expression is sent to the server exactly as typed. Quote it, because the shell interprets most of its characters. Known syntax:',
    [
      ['label', 'has the tag'],
      ['~label', 'does not have the tag'],
      ['one & two', 'has both; a comma or semicolon means the same'],
      ['one | two', 'has at least one'],
      ['one ^ two', 'has exactly one'],
      ['( ... )', 'grouping; do not rely on operator precedence'],
      ['"one & two"', 'has the tag whose label is one & two'],
    ],
    {
      lines: [
        "linkctl list --by-tags 'spring & ~expired'",
        "linkctl stats --by-tags '(mail | web) & ~internal'",
        "linkctl edit --by-tags 'spring' --expires +30d --dry-run",
        "linkctl delete --by-tags 'old' --max-affected 200",
      ],
    },
    'A tag selection covers all domains of the account and cannot be combined with --domain. An expression without matches is not an error. An empty expression is rejected, because it must not select everything. Changes list the links first and then change exactly those. With --no-undo the server selects them. It can then only set the note, expiration date, email statistics and (edition A only) maximum clicks.',
    'delete, edit and stats --reset show the number of selected links and ask you to type it. Without a terminal, --yes and --max-affected are both required.',
  ],
};

const filters: Topic = {
  summary: 'Filters',
  parts: [
    '--filter selects links by their fields. It is repeatable; all filters must hold. Filters are applied on this computer, so every link of the listing is read. --limit counts the links that match. For changes, a filter narrows a selection: to change every link that matches, add --all. Quote filters, because the shell interprets < > ~ * and spaces.',
    'Fields:',
    [
      ['total_clicks, unique_clicks', 'whole numbers: = != < <= > >='],
      ['max_clicks', '[edition A] the same; 0 for no limit'],
      [
        'expiration_date',
        'days: = != < <= > >= with 2031-01-31, +30d, -90d (from today, UTC) or never. A link without a date counts as later than any day',
      ],
      [
        'last_visit',
        '[edition A] the same. A link without a visit counts as earlier than any day; one with clicks but no day never matches',
      ],
      ['expired, email_stats', 'true or false: = !=; the name alone means true'],
      ['url, long_url', 'destination: = !=, ^= (begins with) and ~ (regular expression)'],
      ['short_url_with_protocol', '[edition A] the same for the short URL, where the server lists it'],
      [
        'host',
        'host of the destination: = != ~. *.a.example is any host below a.example. The port counts if you give one. ~ compares the ASCII form of a name (xn--...)',
      ],
      ['scheme, path', 'parts of the destination: = !=; for path also ^= and ~'],
      [
        'hash, short_url, note',
        'text: = != ^= ~. Upper and lower case differ; note= is an empty note, and white space around a note is ignored',
      ],
      ['tags', 'one label: = != ^= ~, not case-sensitive. tags= means no tags'],
      ['domain', 'domain of the short URL: = !='],
    ],
    'A value in double quotes is taken as it is: \'tags=" <x "\' is the label <x between two spaces. Double each quote in it. Regular expressions are not quoted.',
    'url^= and path^= end at a boundary: url^=https://a.example matches https://a.example/x and https://a.example?x, but not https://a.example.evil. The scheme and host are not case-sensitive, and the default port is the same as none. Regular expressions are those of JavaScript, without lookaround, back references and repetitions above 16, which could run for ever. They are case-sensitive except for tags; begin with ^ and end with $ to match the whole value.',
    {
      lines: [
        "linkctl list --filter 'total_clicks=0' --filter 'last_visit<-90d'",
        "linkctl list --filter 'host=*.old.example' --filter 'tags='",
        "linkctl list --filter 'url^=https://old.example/shop' -o csv",
        'linkctl stats --filter expired --top 10',
      ],
    },
  ],
};

export const topics: { readonly [T in TopicName]: Topic } = {
  flags,
  environment,
  'exit-codes': exitCodesTopic,
  formats,
  csv,
  tags,
  filters,
};
