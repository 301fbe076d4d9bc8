/** Attempts of a request after the first one. */
export const defaultRetries = 4;
