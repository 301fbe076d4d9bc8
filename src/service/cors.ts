import { succeed } from './api/api-responses.ts';
import { header, type ServiceRequest, type ServiceResponse } from './message.ts';

/** Adds CORS headers for pages of these origins. */
export async function withCors(
  request: ServiceRequest,
  origins: readonly string[],
  answer: () => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  const origin = header(request, 'origin');
  const isAllowed = origin !== undefined && origins.includes(origin);
  const response = isAllowed && isPreflight(request) ? preflightResponse : await answer();
  if (origins.length === 0) return response;
  const readable: ServiceResponse['headers'] = isAllowed ? { 'access-control-allow-origin': origin } : {};
  return { ...response, headers: { ...response.headers, vary: 'origin', ...readable } };
}

/** Browsers send a preflight request without credentials. */
function isPreflight(request: ServiceRequest): boolean {
  return request.method === 'OPTIONS' && header(request, 'access-control-request-method') !== undefined;
}

const allowed = succeed({});
const preflightResponse: ServiceResponse = {
  ...allowed,
  headers: {
    ...allowed.headers,
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, content-type, x-http-method-override, x-tinycc-key, x-tinycc-user',
    // In seconds.
    'access-control-max-age': '600',
  },
};
