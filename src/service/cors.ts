import { succeed } from './api-responses.ts';
import { header, type ServiceRequest, type ServiceResponse } from './message.ts';

/** Answers a request to the API so that pages of these origins may read the answer in a browser (V4); others may not. */
export async function answerPage(
  request: ServiceRequest,
  origins: readonly string[],
  answer: () => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  const origin = header(request, 'origin');
  const isAllowed = origin !== undefined && origins.includes(origin);
  const response = isAllowed && isPreflight(request) ? permission : await answer();
  if (origins.length === 0) return response;
  const readable: ServiceResponse['headers'] = isAllowed ? { 'access-control-allow-origin': origin } : {};
  return { ...response, headers: { ...response.headers, vary: 'origin', ...readable } };
}

/** What a browser asks before a call that no form could send; it comes without credentials. */
function isPreflight(request: ServiceRequest): boolean {
  return request.method === 'OPTIONS' && header(request, 'access-control-request-method') !== undefined;
}

const allowed = succeed({});
const permission: ServiceResponse = {
  ...allowed,
  headers: {
    ...allowed.headers,
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, content-type, x-http-method-override, x-tinycc-key, x-tinycc-user',
    // Seconds for which the browser need not ask again.
    'access-control-max-age': '600',
  },
};
