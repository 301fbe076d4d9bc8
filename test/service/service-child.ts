import { startService } from '../../src/service/service.ts';
import { apiKey, username } from './credentials.ts';

/**
 * A service as a process of its own: `node <bundle> <data directory or database> [with metrics]`. Prints its base URL when it listens, and
 * with metrics their port.
 */
const [, , place = '', metrics] = process.argv;
const data = place.startsWith('postgresql:') ? { store: { url: place, environment: {} } } : { data: place };
const metricsPort = metrics === undefined ? undefined : 0;
const service = await startService({ edition: 'a', ...data, username, apiKey, redirects: true, metricsPort });
process.stdout.write(`${service.baseUrl}\n`);
if (metrics !== undefined) process.stdout.write(`${service.metricsPort}\n`);
process.once('SIGTERM', () => void service.close());
