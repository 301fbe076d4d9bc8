import type { RunningService } from '../../src/service/service.ts';
import type { Ended } from '../support/built-program.ts';
import type { FaultyServer } from '../support/faulty-server.ts';
import type { Terminal } from '../support/terminal.ts';

/** The built program and a new service, for one behaviour. */
export interface World {
  /** Runs the built program with the credentials of the service. */
  run(argv: readonly string[], options?: { readonly env?: Record<string, string>; readonly stdin?: string }): Promise<Ended>;
  /** Runs a line of bash in which `$linkctl` is the program. */
  shell(line: string, env?: Record<string, string>): Promise<Ended>;
  /** Starts the program on a terminal, without colour. */
  open(argv: readonly string[], options?: { readonly columns?: number; readonly env?: Record<string, string> }): Terminal;
  /** The requests so far, as `METHOD /path?query`. */
  calls(): Promise<string[]>;
  /** Home without credentials, and the same with those of the service. */
  readonly homeEnv: Record<string, string>;
  readonly env: Record<string, string>;
  readonly folder: string;
  readonly service: RunningService;
  /** The server between the program and the service, which can misbehave. */
  readonly wire: FaultyServer;
}

/** A behaviour of the command line: its number, what it says, and a run of it, or the test that runs it. */
export type Behaviour = readonly [
  number: `B${number}`,
  text: string,
  held: ((world: World) => Promise<void>) | `test/${string}.ts`,
];

/** Stores the credentials of `env` as a profile, and gives the exit code. */
export async function login(
  run: World['run'],
  baseUrl: string,
  env: Record<string, string>,
  profile = 'work',
): Promise<number | null> {
  const argv = [
    'auth',
    'login',
    '--profile',
    profile,
    '--base-url',
    baseUrl,
    '--username',
    'ann',
    '--edition',
    'a',
    '--with-key',
  ];
  const nobody = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '', LINKCTL_EDITION: '' };
  return (await run(argv, { env: nobody, stdin: `${env.LINKCTL_API_KEY}\n` })).code;
}
