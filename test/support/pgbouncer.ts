import { spawn } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query, serverUser } from './postgres.ts';
import { needs, programIn } from './tools.ts';
import { until } from './until.ts';

/** A PgBouncer of the tests' own. */
export interface Pooler {
  /** `postgresql://…` of the database behind it. */
  readonly url: string;
  stop(): void;
}

/** Starts a pooler in `folder` before the database of a URL, with at most `size` connections to it. */
export async function startPooler(
  folder: string,
  database: string,
  mode: 'session' | 'transaction',
  size = mode === 'session' ? 80 : 4,
): Promise<Pooler> {
  needs('pgbouncer', 'postgresql');
  const user = serverUser();
  const [, socket = ''] = /[?&]host=([^&]*)/.exec(database) ?? [];
  const [, schema = 'public'] = /search_path%3D(\w+)/.exec(database) ?? [];
  const role = `pooled_${schema}`;
  // What a pooler does not pass on is set for the role: here, in which schema the test works.
  if ((await query(database, `SELECT 1 FROM pg_roles WHERE rolname = '${role}'`)).length === 0) {
    await query(database, `CREATE ROLE ${role} SUPERUSER LOGIN; ALTER ROLE ${role} SET search_path = ${schema}`);
  }
  const settings = {
    listen_addr: '',
    unix_socket_dir: folder,
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: size,
    logfile: join(folder, 'log'),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `links = host=${decodeURIComponent(socket)} dbname=postgres user=${role}`;
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'));
  if (user) chownSync(folder, user.uid, user.gid);
  const pooler = spawn(programIn('pgbouncer') ?? '', [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  pooler.stderr?.on('data', (text) => {
    said += text;
  });
  // It says so before it listens.
  await until(() => said.includes('process up') && existsSync(join(folder, '.s.PGSQL.6432')), 'the pooler is up');
  return {
    url: `postgresql://anybody@/links?host=${encodeURIComponent(folder)}&port=6432`,
    stop: () => void pooler.kill('SIGKILL'),
  };
}
