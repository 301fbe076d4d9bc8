/** One member of an answer: the names that lead to it from the top. */
export type Path = readonly (string | number)[];

/** Every member, containers included, but not the envelope's own error. */
export function pathsIn(answer: object): Path[] {
  return members(answer, []).filter(([first]) => first !== 'error');
}

function members(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const here = [...path, Array.isArray(value) ? Number(name) : name];
    return [here, ...members(member, here)];
  });
}

/** What is in that place. */
export function memberAt(answer: object, path: Path): unknown {
  return path.reduce<unknown>((here, name) => (here as Record<string, unknown>)[name], answer);
}

/** A copy with something else in that place, or with nothing there. */
export function withMember(answer: object, path: Path, member: unknown): object {
  const copy = structuredClone(answer) as Record<string, unknown>;
  const last = path.at(-1) as string;
  const parent = path.slice(0, -1).reduce<Record<string, unknown>>((here, name) => here[name] as Record<string, unknown>, copy);
  if (member === undefined) delete parent[last];
  else parent[last] = member;
  return copy;
}

/** A copy with every text changed. */
export function withTexts(answer: object, change: (text: string) => string): object {
  return JSON.parse(JSON.stringify(answer, (_name, value) => (typeof value === 'string' ? change(value) : value)));
}

/** JSON text with a member of each name put into every object. */
export function withNames(answer: object, names: readonly string[]): string {
  const hostile = names.map((name) => `${JSON.stringify(name)}:{"polluted":true},`).join('');
  return JSON.stringify(answer)
    .replaceAll('{', `{${hostile}`)
    .replaceAll(`${hostile}}`, `${hostile.slice(0, -1)}}`);
}
