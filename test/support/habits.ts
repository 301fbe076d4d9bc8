import type { WholeAnswer } from './faulty-endings.ts';
import type { Passed } from './manners.ts';
import { readBody, withText } from './readings.ts';

/** How a link without a last day is written. */
const names = ['far day', 'zero day', 'null'] as const;

export type HabitsName = (typeof names)[number];

/** As the variable `LINKCTL_TEST_HABITS` says; undefined for a server that writes values as ours does. */
export function habitsName(name = process.env.LINKCTL_TEST_HABITS): HabitsName | undefined {
  return names.find((one) => one === name);
}

/** The time that is written after each date: one that no test has. */
const time = ' 07:08:09';

/** A blank that no test has. */
const blank = '\u2003';

/**
 * A server that writes values in its own way: a day in 9999 or of zeros where a link has no last day, a time after a date, hosts in upper case, blanks
 * around notes, labels in upper case and in another order, numbers as text. It reads back what it writes.
 */
export interface Habits {
  /** A request as the service gets it. */
  stored(request: Passed): Passed;
  /** An answer as such a server writes it. */
  shown(answer: WholeAnswer): WholeAnswer;
  /** What was printed of such answers, as it would be of the service's own. */
  plain(printed: string): string;
}

export function createHabits(name: HabitsName): Habits {
  /** What was shown, and what it stands for. */
  const hosts = new Map<string, string>();
  const labels = new Map<string, string>();
  const lists = new Map<string, string>();

  const shownHost = (host: string): string => kept(hosts, host, upperCase(host));
  const shownLabel = (label: string): string => kept(labels, label, upperCase(label));
  const shownLabels = (tags: readonly string[]): string[] => {
    const all = tags.map(shownLabel).reverse();
    if (tags.length > 1) for (const text of [',', '","']) lists.set(all.join(text), tags.join(text));
    return all;
  };

  const shownItem = (item: Record<string, unknown>): Record<string, unknown> => {
    let record: Record<string, unknown> = withText(item, 'long_url', (url) => url.replace(hostIn, shownHost));
    for (const member of ['short_url', 'short_url_with_protocol']) {
      record = withText(record, member, (url) => url.replace(hostIn, shownHost));
    }
    if (record.short_url === undefined) return record;
    const { expiration_date: day, note, tags } = record;
    if (day !== undefined) record = { ...record, expiration_date: day === null ? never(name) : `${day}${time}` };
    if (typeof note === 'string' && note !== '') record = { ...record, note: `${blank}${note}${blank}` };
    if (Array.isArray(tags)) record = { ...record, tags: shownLabels(tags) };
    return withNumbersAsText(record);
  };

  const storedItem = (item: Record<string, unknown>): Record<string, unknown> => {
    let stored: Record<string, unknown> = withText(item, 'long_url', (url) =>
      url.replace(hostIn, (host) => hosts.get(host) ?? host),
    );
    stored = withText(stored, 'note', (text) => text.replaceAll(blank, ''));
    stored = withText(stored, 'expiration_date', (day) => (/^(?:9999-12-31|0000-00-00)/.test(day) ? null : day));
    const { tags } = stored;
    if (!Array.isArray(tags)) return stored;
    const plainLabel = (label: string): string => labels.get(label) ?? label;
    return { ...stored, tags: tags.map((tag) => (/^[+-]/.test(tag) ? tag[0] + plainLabel(tag.slice(1)) : plainLabel(tag))) };
  };

  return {
    stored: (request) => {
      const body = readBody(request.body);
      return Array.isArray(body?.urls) ? { ...request, body: written({ ...body, urls: body.urls.map(storedItem) }) } : request;
    },
    shown: (answer) => {
      const body = readBody(answer.body);
      if (!Array.isArray(body?.urls) && !Array.isArray(body?.stats)) return answer;
      const { urls, stats } = body;
      return {
        ...answer,
        body: written({
          ...body,
          ...(urls && { urls: urls.map(shownItem) }),
          ...(stats && { stats: stats.map(withNumbersAsText) }),
        }),
      };
    },
    plain: (printed) => {
      let text = printed
        .replaceAll(blank, '')
        .replace(/"(?:9999-12-31|0000-00-00)(?: 07:08:09)?"/g, 'null')
        .replace(/(?:9999-12-31|0000-00-00) 07:08:09/g, '');
      text = text.replaceAll(time, '');
      for (const texts of [lists, hosts, labels]) {
        for (const [from, to] of [...texts].sort(([one], [other]) => other.length - one.length))
          text = withWord(text, from, to, texts === hosts ? /[\w-]/ : /\w/);
      }
      return text;
    },
  };
}

export type Item = Record<string, unknown>;

/** A server that stores or shows links in its own way. */
export function itemHabits({
  stored = (item) => item,
  shown = (item) => item,
}: Partial<Record<'stored' | 'shown', (item: Item) => Item>>) {
  const each = (body: Buffer, change: (item: Item) => Item): Buffer => {
    const message = readBody(body);
    return Array.isArray(message?.urls) ? Buffer.from(JSON.stringify({ ...message, urls: message.urls.map(change) })) : body;
  };
  return {
    stored: (request) => {
      const isCreation = request.method === 'POST';
      return { ...request, body: each(request.body, (item) => stored(isCreation ? { isCreation, ...item } : item)) };
    },
    shown: (answer) => ({ ...answer, body: each(answer.body, shown) }),
    plain: (printed) => printed,
  } satisfies Habits;
}

/** The host of a URL with or without a scheme. */
const hostIn = /(?<=^(?:https?:\/\/)?(?:[^/?#@]*@)?)(?![^/?#]*@)[^/?#@:]+(?=(?!:\/\/)[:/?#]|$)/i;

function never(name: HabitsName): string | null {
  return name === 'null' ? null : `${name === 'far day' ? '9999-12-31' : '0000-00-00'}${time}`;
}

function kept(texts: Map<string, string>, stored: string, shown: string): string {
  if (shown !== stored && !texts.has(shown)) texts.set(shown, stored);
  return texts.get(shown) === stored ? shown : stored;
}

/** In ASCII alone: elsewhere it can change what a name is. */
function upperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function withNumbersAsText(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );
}

function withWord(text: string, from: string, to: string, continues: RegExp): string {
  const isWord = (character = ' '): boolean => continues.test(character);
  let changed = '';
  let rest = 0;
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + from.length)) {
    if (isWord(text[at - 1]) || isWord(text[at + from.length])) continue;
    changed += text.slice(rest, at) + to;
    rest = at + from.length;
  }
  return changed + text.slice(rest);
}

function written(body: object): Buffer {
  return Buffer.from(JSON.stringify(body));
}
