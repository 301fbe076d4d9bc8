/** The same object with one member changed, where it is text. */
export function withText(item: object, name: string, change: (text: string) => unknown): Record<string, unknown> {
  const members: Record<string, unknown> = { ...item };
  const text = members[name];
  return typeof text === 'string' ? { ...members, [name]: change(text) } : members;
}

// biome-ignore lint/suspicious/noExplicitAny: what a server says can be anything
export function readBody(body: Buffer): any {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
