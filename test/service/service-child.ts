import { startService } from '../../src/service/service.ts';
import { apiKey, username } from './credentials.ts';

/** A service as a process of its own: `node <bundle> <data directory>`; prints its base URL when it listens. */
const service = await startService({ edition: 'a', data: process.argv[2], username, apiKey, redirects: true });
process.stdout.write(`${service.baseUrl}\n`);
process.once('SIGTERM', () => void service.close());
