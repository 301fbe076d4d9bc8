import { expect, test } from 'vitest';
import { folders } from '../../src/base/system.ts';

const linux = { platform: 'linux', home: { HOME: '/home/ann' } } as const;

test.each([
  ['LINKCTL_CONFIG_DIR', { LINKCTL_CONFIG_DIR: '/etc/own', XDG_CONFIG_HOME: '/xdg' }, '/etc/own'],
  ['an absolute XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/linkctl'],
  ['a relative XDG_CONFIG_HOME, which is ignored', { XDG_CONFIG_HOME: 'rel' }, '/home/ann/.config/linkctl'],
  ['an empty XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '' }, '/home/ann/.config/linkctl'],
  ['nothing', {}, '/home/ann/.config/linkctl'],
])('B67: with %s the configuration is where it belongs', (_what, env, expected) => {
  for (const platform of ['linux', 'darwin'] as const) {
    expect(folders({ platform, env: { ...linux.home, ...env } }).config).toBe(expected);
  }
});

test.each([
  [{}, 'config', 'the config folder is unknown: neither HOME nor XDG_CONFIG_HOME is an absolute path'],
  [{ HOME: '' }, 'state', 'the state folder is unknown: neither HOME nor XDG_STATE_HOME is an absolute path'],
  [{ HOME: '' }, 'cache', 'the cache folder is unknown: neither HOME nor XDG_CACHE_HOME is an absolute path'],
  [
    { HOME: 'here', XDG_STATE_HOME: '/s' },
    'data',
    'the data folder is unknown: neither HOME nor XDG_DATA_HOME is an absolute path',
  ],
] as const)(
  'E33, E63: with %j the %s folder is not in the current folder, and not looked for elsewhere',
  (env, name, message) => {
    expect(() => folders({ platform: 'linux', env })[name]).toThrow(
      expect.objectContaining({ message, kind: 'local', hint: 'set HOME to your home folder' }),
    );
  },
);

test('E33, E63: no home is looked up where every folder has a variable of its own', () => {
  const env = { LINKCTL_CONFIG_DIR: '/etc/own', XDG_CACHE_HOME: '/c', XDG_STATE_HOME: '/s', XDG_DATA_HOME: '/d' };
  const { config, cache, state, data } = folders({ platform: 'linux', env });
  expect([config, cache, state, data]).toEqual(['/etc/own', '/c/linkctl', '/s/linkctl', '/d/linkctl']);
});

test('B67, E74b: a relative LINKCTL_CONFIG_DIR is refused: it would be another one in each folder', () => {
  expect(() => folders({ platform: 'linux', env: { ...linux.home, LINKCTL_CONFIG_DIR: 'own' } }).config).toThrow(
    expect.objectContaining({ message: 'LINKCTL_CONFIG_DIR is not an absolute path: "own"', kind: 'local' }),
  );
});

test('B67: caches, journals and data have places of their own', () => {
  expect(folders({ platform: 'linux', env: linux.home })).toMatchObject({
    cache: '/home/ann/.cache/linkctl',
    state: '/home/ann/.local/state/linkctl',
    data: '/home/ann/.local/share/linkctl',
  });
  const xdg = { XDG_CACHE_HOME: '/c', XDG_STATE_HOME: '/s', XDG_DATA_HOME: 'relative' };
  expect(folders({ platform: 'linux', env: { ...linux.home, ...xdg } })).toMatchObject({
    cache: '/c/linkctl',
    state: '/s/linkctl',
    data: '/home/ann/.local/share/linkctl',
  });
});

test('B67: on Windows they are below %APPDATA% and %LOCALAPPDATA%', () => {
  const { config, cache, state, data } = folders({ platform: 'win32', env: { APPDATA: 'R', LOCALAPPDATA: 'L' } });
  expect([config, cache, state, data].map((path) => path.replaceAll('\\', '/'))).toEqual([
    'R/linkctl',
    'L/linkctl/cache',
    'L/linkctl/state',
    'L/linkctl/data',
  ]);
});
