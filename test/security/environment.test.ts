import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runProgram, runShell } from '../support/built-program.ts';
import { apiKey, sent, test, username } from '../support/linkctl.ts';

describe('F71: an odd environment', () => {
  test.for([
    ['LANG', 'C'],
    ['LC_ALL', 'tr_TR.UTF-8'],
    ['TZ', 'Pacific/Kiritimati'],
    ['COLUMNS', '1'],
    ['COLUMNS', '0'],
    ['COLUMNS', '-5'],
    ['COLUMNS', '1e9'],
    ['TERM', ''],
    ['NODE_OPTIONS', '--max-old-space-size=64'],
    ['NODE_OPTIONS', '--no-deprecation --throw-deprecation --trace-warnings'],
    ['NODE_PATH', '/nowhere'],
    ['NO_PROXY', '10.0.0.0/8'],
    ['HTTPS_PROXY', 'http://127.0.0.1:9'],
    ['HTTP_PROXY', 'http://127.0.0.1:9'],
    ['ALL_PROXY', 'socks5://127.0.0.1:9'],
    ['LINKCTL_PROFILE', ''],
    ['CI', 'true'],
  ])('%s=%s changes nothing of a listing in a pipe', async ([name = '', value = ''], { env, linkctl }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'abc', '--note', 'İi']);
    const ran = await runProgram(['list', '--fields', 'hash,note'], { ...env, [name]: value });
    expect(ran).toMatchObject({ code: 0, stdout: 'abc\tİi\n', stderr: '' });
  });

  test.for(['1', '0', '-5', '7', '1e9', 'wide'])(
    'B24: COLUMNS=%s: a table is printed whole',
    async (columns, { env, linkctl }) => {
      await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'abc']);
      const ran = await linkctl(['list'], { env: { ...env, COLUMNS: columns }, terminal: { stdout: true }, columns: 0 });
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('abc') });
    },
  );

  test.for([
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 4, 'NODE_TLS_REJECT_UNAUTHORIZED'],
    [{ HTTPS_PROXY: 'ftp://u:hidden@p' }, 2, 'HTTPS_PROXY'],
    [{ https_proxy: 'not a url' }, 2, 'https_proxy'],
    [{ HTTPS_PROXY: 'http://u:50%hidden@p' }, 2, 'HTTPS_PROXY is not the URL of an HTTP proxy'],
    [{ HTTPS_PROXY: 'http://127.0.0.1:9' }, 8, 'HTTPS_PROXY is set: check the proxy'],
    [{ HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '.invalid' }, 8, 'check that the server is running'],
    [{ NODE_EXTRA_CA_CERTS: '/nowhere.pem' }, 8, 'cannot resolve'],
    [{ LINKCTL_OUTPUT: 'xml' }, 2, 'LINKCTL_OUTPUT'],
    [{ LINKCTL_TIMEOUT: '0' }, 2, 'LINKCTL_TIMEOUT'],
    [{ LINKCTL_TIMEOUT: 'NaN' }, 2, 'LINKCTL_TIMEOUT'],
    [{ LINKCTL_EDITION: 'c' }, 2, 'LINKCTL_EDITION'],
    [{ LINKCTL_BASE_URL: 'javascript:alert(1)' }, 2, 'LINKCTL_BASE_URL'],
    [{ LINKCTL_BASE_URL: 'https://a b/' }, 2, 'LINKCTL_BASE_URL'],
    [{ LINKCTL_BASE_URL: 'http://api.example.test/' }, 2, 'insecure-http'],
    [{ LINKCTL_USERNAME: 'ann:bob' }, 2, 'LINKCTL_USERNAME'],
    [{ LINKCTL_USERNAME: 'ann\r\nX-Evil: 1' }, 2, 'LINKCTL_USERNAME'],
    [{ LINKCTL_API_KEY: 'two\r\nlines' }, 2, 'LINKCTL_API_KEY'],
    [{ LINKCTL_API_KEY: '' }, 2, 'LINKCTL_API_KEY'],
    [{ LINKCTL_USERNAME: '' }, 2, 'LINKCTL_USERNAME'],
  ] as const)('%j is refused with its name before anything is sent', async ([odd, code, words], { env, linkctl, wire }) => {
    const away = { ...env, LINKCTL_BASE_URL: 'https://no-such-host.invalid/', ...odd };
    const ran = await linkctl(['list', '--retries', '0'], { env: away });
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(words);
    expect(ran.stderr).not.toContain('hidden');
    expect(await sent(wire)).toEqual([]);
  });

  test('R-42: nothing is read from the folder one happens to stand in', async ({ homeEnv, folder }) => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(join(elsewhere, 'linkctl'), { recursive: true });
    const config = {
      current_profile: 'evil',
      profiles: { evil: { base_url: 'https://evil.example/', username: 'x', api_key: 'y' } },
    };
    for (const name of ['.env', '.linkctlrc', 'config.json', 'linkctl/config.json', '.linkctl.json', 'linkctl.config.js']) {
      writeFileSync(join(elsewhere, name), name === '.env' ? 'LINKCTL_PROFILE=evil\n' : JSON.stringify(config));
    }
    const ran = await runShell(`cd "${elsewhere}"; $linkctl list`, { ...homeEnv, XDG_CONFIG_HOME: '.', XDG_STATE_HOME: 'state' });
    expect(ran).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('linkctl auth login') });
  });
});

describe('B67, B70: homes', () => {
  test('a relative XDG folder is not used, and none appears', async ({ env, folder }) => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const relative = { XDG_CONFIG_HOME: 'c', XDG_CACHE_HOME: './d', XDG_STATE_HOME: 'e', XDG_DATA_HOME: '../f' };
    const ran = await runShell(`cd "${elsewhere}"; printf 'https://a.example/\\n' | $linkctl shorten -q -f - ; $linkctl tags`, {
      ...env,
      ...relative,
    });
    expect(ran.code).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(existsSync(join(folder, '.local', 'state', 'linkctl', 'runs'))).toBe(true);
  });

  test('E33: without HOME, what needs a folder is exit 9 and says so; what needs none works', async ({
    env,
    folder,
    linkctl,
  }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'abc']);
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const { HOME: _, ...homeless } = env;
    for (const odd of [homeless, { ...homeless, HOME: '' }]) {
      const ran = await runShell(`cd "${elsewhere}"; echo https://a.example/ | $linkctl shorten -f -`, odd);
      expect(ran).toMatchObject({
        code: 9,
        stdout: '',
        stderr:
          'error: the state folder is unknown: neither HOME nor XDG_STATE_HOME is an absolute path\nhint: set HOME to your home folder\n',
      });
      const auth = await runProgram(['auth', 'list'], { ...odd, XDG_STATE_HOME: folder });
      expect([auth.code, auth.stderr]).toEqual([9, expect.stringContaining('neither HOME nor XDG_CONFIG_HOME')]);
      expect(await runProgram(['list', '--fields', 'hash'], odd)).toMatchObject({ code: 0, stdout: 'abc\n', stderr: '' });
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  // A path below a file can be made by nobody, root included.
  test('a home that nobody can write to: reads work, and what must write says where', async ({ env, folder, linkctl }) => {
    writeFileSync(join(folder, 'file'), '');
    const sealed = { env: { ...env, HOME: join(folder, 'file') } };
    for (const argv of [['list'], ['tags'], ['domains'], ['stats'], ['account'], ['log']]) {
      expect(await linkctl(argv, sealed), argv.join(' ')).toMatchObject({ code: 0 });
    }
    for (const argv of [
      ['shorten', '-f', '-'],
      ['shorten', 'https://a.example/'],
      ['-p', 'sandbox', 'config', 'set', 'output', 'json'],
    ]) {
      const ran = await linkctl(argv, { ...sealed, stdin: 'https://a.example/\n' });
      expect(ran, argv.join(' ')).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining(join(folder, 'file')) });
    }
  });
});

describe('F69: the configuration, by command line', () => {
  const profile = { base_url: 'https://api.example.test/', username, api_key: apiKey };
  const whole = JSON.stringify({ current_profile: 'work', profiles: { work: profile } });

  function configured(folder: string, text: string, mode = 0o600): string {
    const path = join(folder, '.config', 'linkctl', 'config.json');
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode });
    chmodSync(path, mode);
    return path;
  }

  test.for([
    ['an empty one', ''],
    ['a cut one', whole.slice(0, -9)],
    ['one with garbage after its end', `${whole}}`],
    ['one that is no object', '[1]'],
    ['one with a profile that is none', '{"profiles":{"work":3}}'],
    ['NUL bytes', '\0\0\0\0'],
    ['names of Object.prototype', '{"profiles":{"__proto__":{"username":"x"}}}'],
  ])(
    'B71: %s is exit 9 for every command that needs it, and stays byte by byte',
    async ([_what, text = ''], { folder, homeEnv, linkctl }) => {
      const path = configured(folder, text);
      const bare = Object.fromEntries(
        ['LINKCTL_BASE_URL', 'LINKCTL_USERNAME', 'LINKCTL_API_KEY', 'LINKCTL_EDITION'].map((name) => [name, undefined]),
      );
      const lines = [
        ['list'],
        ['shorten', 'https://a.example/'],
        ['auth', 'status'],
        ['auth', 'list'],
        ['auth', 'logout', '--all'],
        ['auth', 'switch', 'sandbox'],
        ['config', 'list'],
        ['config', 'set', 'output', 'json'],
      ];
      for (const argv of lines) {
        const ran = await linkctl(argv, { env: { ...homeEnv, ...bare } });
        expect(ran, argv.join(' ')).toMatchObject({ code: 9, stdout: '' });
        expect(ran.stderr.startsWith(`error: ${path}`), ran.stderr).toBe(true);
        expect(readFileSync(path, 'utf8')).toBe(text);
      }
      for (const argv of [['--version'], ['help'], ['list', '--help'], ['completion', 'bash'], ['config', 'path']]) {
        expect(await linkctl(argv, { env: { ...homeEnv, ...bare } }), argv.join(' ')).toMatchObject({ code: 0, stderr: '' });
      }
    },
  );

  test('B66, R-24: one that others can read is tightened, said once, and its key stays inside', async ({ folder, homeEnv }) => {
    const path = configured(folder, whole, 0o644);
    const first = await runProgram(['auth', 'status', '--offline'], homeEnv);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('0644') });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await runProgram(['auth', 'status', '--offline'], homeEnv)).toMatchObject({ code: 0, stderr: '' });
  });

  test('a folder in its place, and links in a circle, are exit 9 with the path', async ({ folder, homeEnv }) => {
    const path = join(folder, '.config', 'linkctl', 'config.json');
    mkdirSync(path, { recursive: true, mode: 0o700 });
    expect(await runProgram(['auth', 'list'], homeEnv)).toMatchObject({ code: 9, stderr: expect.stringContaining(path) });
    const circle = join(folder, 'circle');
    mkdirSync(circle, { mode: 0o700 });
    symlinkSync('config.json', join(circle, 'config.json'));
    const env = { ...homeEnv, LINKCTL_CONFIG_DIR: circle };
    expect(await runProgram(['auth', 'list'], env)).toMatchObject({ code: 9, stderr: expect.stringContaining(circle) });
  });
});
