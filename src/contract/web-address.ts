/**
 * The parsed URL, or undefined for what is none. `URL.canParse` would be cheaper and is a trap: once hot, Node 20's takes Latin-1
 * for UTF-8 and refuses every URL that holds an umlaut.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
