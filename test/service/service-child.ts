import { startService } from '../../src/service/service.ts';
import { apiKey, username } from './credentials.ts';

/** A service as a process of its own: `node <bundle> <data directory or database>`; prints its base URL when it listens. */
const [, , place = ''] = process.argv;
const data = place.startsWith('postgresql:') ? { store: { url: place, environment: {} } } : { data: place };
const service = await startService({ edition: 'a', ...data, username, apiKey, redirects: true });
process.stdout.write(`${service.baseUrl}\n`);
process.once('SIGTERM', () => void service.close());
