import { describe, expect } from 'vitest';
import { protectionOf } from '../../src/input/protection.ts';
import { test as program } from '../support/linkctl.ts';
import { stored } from '../support/stored-links.ts';
import { check, now, rows, test } from './fixtures.ts';

const url = 'https://www.example.com/';

/** The cells of the column whose row is left out. */
async function leftOut(name: string, cells: readonly unknown[]): Promise<unknown[]> {
  const quotedCell = (cell: unknown): string => `"${String(cell).replaceAll('"', '""')}"`;
  const csv = await rows(`long_url,${name}\n${cells.map((cell) => `${url},${quotedCell(cell)}\n`).join('')}`);
  const lines = cells.map((cell) => `${JSON.stringify({ long_url: url, [name]: cell })}\n`);
  const json = await rows(lines.join(''), { name: 'links.jsonl' });
  const skips = csv.map(({ skip }) => skip?.status === 'skipped');
  expect(json.map(({ skip }) => skip?.status === 'skipped')).toEqual(skips);
  return cells.filter((_, index) => skips[index]);
}

const off = [
  'f',
  'F',
  'n',
  'no',
  'false',
  'false.',
  'inactive',
  'disabled',
  'private',
  'gelöscht',
  'faux',
  'null',
  '-',
  'x',
  '?',
];
const ofNumbers = ['0', '0.0', '-1', '00', 404, false];
const on = [
  '1',
  '1.0',
  'true',
  'TRUE',
  't',
  'T',
  'yes',
  'Y',
  'on',
  'Active',
  'enabled',
  'live',
  'public',
  'published',
  'publish',
];
const elsewhere = [
  'wahr',
  'ja',
  'oui',
  'VRAI',
  'sí',
  'sì',
  'verdadero',
  'ativo',
  'publié',
  'Öffentlich',
  'ИСТИНА',
  '是',
  '✓',
  ' t ',
];

describe('E39, I12: only what certainly says that a link is on makes a link', () => {
  test.each([
    'is_active',
    'active',
    'enabled',
    'published',
    'isPublished',
    'public',
    'is_public',
    'status',
    'state',
    'visibility',
    'Link Status',
  ])('%s', async (name) => {
    expect(await leftOut(name, [...off, ...ofNumbers])).toEqual([...off, ...ofNumbers]);
    expect(await leftOut(name, [...on, ...elsewhere, 1, true, 200, 301, ''])).toEqual([]);
  });

  test.each([
    ...['deletedAt', 'deleted_at', 'disabledAt', 'disabled_at', 'archivedAt', 'archived_at', 'bannedAt', 'banned_at'],
    ...['passwordHash', 'password_hash', 'private', 'is_private', 'archived', 'banned', 'is_suspended', 'blocked', 'paused_at'],
    ...['secret_key', 'LINK_PASSWORD', 'inactive', 'trashed', 'trashed_at', 'link_disabled', 'passcode', 'link_password'],
    ...['is_password_protected', 'requires_password', 'Password Protection', 'password_hint', 'passwordUpdatedAt'],
  ])('%s marks a link, whatever it says, unless it certainly says nothing', async (name) => {
    const marks = ['2026-01-31T09:00:00Z', '1769850000', '31/01/2026', '$2b$10$x', 'true', 't', 'x', '-1', '9999-12-31', '0000'];
    expect(await leftOut(name, marks)).toEqual(marks);
    expect(await leftOut(name, ['', 'null', 'NULL', 'false', 'f', 'no', '0', '0.0', false, 0])).toEqual([]);
    expect(await leftOut(name, ['{"enabled":false,"password":""}', 'FALSCH', 'nein', 'Faux', 'não', 'нет', '\\N'])).toEqual([]);
    expect(await leftOut(name, ['0000-00-00', '0000-00-00 00:00:00', '0000-00-00T00:00:00.000Z'])).toEqual([]);
    const nothing = JSON.stringify({ long_url: url, [name]: null });
    expect((await rows(nothing, { name: 'links.jsonl' }))[0]?.skip).toBeUndefined();
  });

  test('a password may be any word: only an empty cell, null, and the false of a service that keeps it to itself are none', async () => {
    const secrets = ['no', 'n', '0', '-', 'off', 'none', 'f', 'undefined', '[]', '{}', '0000-00-00', 'hunter2', 'true', true, 0];
    expect(await leftOut('password', secrets)).toEqual(secrets);
    expect(await leftOut('Password', ['', 'null', 'NULL', 'false', 'False', false])).toEqual([]);
  });

  test('a start later today counts in every form of a date', async () => {
    const text = `long_url,valid_since\n${['01.03.2026 11:00', '01.03.2026 23:00', '01.03.2026'].map((day) => `${url},${day}\n`).join('')}`;
    const found = await rows(text, { dateFormat: 'dmy', now });
    expect(found.map(({ skip }) => skip !== undefined)).toEqual([true, true, false]);
    const american = `long_url,valid_since\n${['3/1/2026 11:00 PM', '3/1/2026 12:00 AM', '2026-03-01 11:00 PM'].map((day) => `${url},${day}\n`).join('')}`;
    const read = await rows(american, { dateFormat: 'mdy', now });
    expect(read.map(({ skip }) => skip !== undefined)).toEqual([true, false, true]);
    expect(
      await leftOut('valid_since', ['2026-03-01T11:00:00Z', '2026-03-01 11:00:00', '2026-03-01T11:00', '', 'null', '0000-00-00']),
    ).toEqual([]);
    expect(await leftOut('valid_since', ['2026-03-01T23:00:00Z', 'soon', '-1'])).toEqual(['2026-03-01T23:00:00Z', 'soon', '-1']);
  });

  test.each(['starts_at', 'Not Before', 'valid_after'])(
    '%s leaves out what begins later, in one of the formats that its date may have',
    async (name) => {
      const later = ['2999-01-31', '32503680000000', '31.01.2999', '1/31/2999', '2999/01/31', '31/31/2020', 'soon'];
      expect(await leftOut(name, later)).toEqual(later);
      expect(await leftOut(name, ['', 'none', '2020-01-31', '1577836800', '31.01.2020', '1/31/2020', '2020/01/31'])).toEqual([]);
      const text = `long_url,${name}\n${['1.3.2026', '3/1/2026', '1.4.2026', '4/1/2026'].map((day) => `${url},${day}\n`).join('')}`;
      const found = await rows(text, { now });
      expect(found.map(({ skip }) => skip !== undefined)).toEqual([false, false, true, true]);
    },
  );

  test.each([
    ...['client_secret_name', 'secretary', 'passenger', 'bypass', 'compass', 'link_type', 'url_size', 'is_custom'],
    ...['Compass Code', 'Start Date', 'secret'],
    ...['Launched', 'linkedin', 'Startup'],
  ])('%s is about something else', async (name) => {
    expect(await leftOut(name, ['x', 'false', '2999-01-31'])).toEqual([]);
  });

  test('beside a slashtag isPublic is about statistics; the columns are named as what they are', async () => {
    const text = `destination,slashtag,isPublic\n${url},x,false\n`;
    expect((await rows(text))[0]).not.toHaveProperty('skip');
    expect((await check(text)).columns).toContain('not used: isPublic');
    expect((await check(`long_url,deletedAt,visibility\n${url},,\n`)).columns).toBe(
      'columns: long_url -> long_url; protection: deletedAt, visibility',
    );
  });
});

describe('I12: the members of a record of the API', () => {
  test.for<[object, string | undefined]>([
    [{ hash: 'x', tags: ['archived'], note: 'password' }, undefined],
    [{ hash: 'x', status: 'normal', state: 'default' }, undefined],
    [{ ping: true, favorite: true, no_stats: true, domain: 's.ex', archived: false, protected: 0 }, undefined],
    [{ archived: true, protected: 'yes' }, 'archived, protected'],
    [{ meta: { password: 'x' }, valid_since: '2020-01-01' }, 'meta.password'],
    [{ password: 0, meta: { password: [] } }, undefined],
    [{ password: '0', meta: { password: ['x'] } }, 'password, meta.password'],
    [{ active: 0, is_active: false }, 'active, is_active'],
    [{ is_active: false, validSince: '2999-01-01' }, 'is_active, validSince'],
  ])('%j', ([record, names]) => {
    expect(protectionOf(record, { now })).toBe(names);
  });
});

program('E39, I12: a link that was off at its source does not become public', async ({ linkctl, service }) => {
  const stdin = 'long_url,custom_hash,is_active\nhttps://v.example/secret,pgf1,f\nhttps://v.example/open,pgt1,t\n';
  const ran = await linkctl(['shorten', '-f', '-', '--input-format', 'csv'], { stdin });
  expect(ran.code, ran.stderr).toBe(3);
  expect((await stored(service)).map(({ hash }) => hash)).toEqual(['pgt1']);
});
