/** A parameter of a query as it is typed. What is percent-encoded already stays so, and `+` is a space. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/**
 * The URL with this parameter, and the rest byte for byte. The first one of that name gets the value, repeated ones go; where there is
 * none, it is added before the fragment. A value that is the same, however it is encoded, stays as it is written.
 */
export function withParameter(url: string, { name, value }: Parameter): string {
  const { parameters, ...rest } = queryOf(url);
  const meant = decoded(name);
  const first = parameters.findIndex((parameter) => nameOf(parameter) === meant);
  if (first < 0) {
    // After a "?" or "&" that has nothing behind it there is room already.
    const kept = parameters.at(-1) === '' ? parameters.slice(0, -1) : parameters;
    return joined({ ...rest, parameters: [...kept, `${encoded(name)}=${encoded(value)}`] });
  }
  const set = parameters.flatMap((parameter, index) => {
    if (nameOf(parameter) !== meant) return [parameter];
    return index === first ? [withValue(parameter, value)] : [];
  });
  return joined({ ...rest, parameters: set });
}

/** The URL without the parameters of this name, or of all that begin like `utm_*`; a query that had no others goes with its `?`. */
export function withoutParameter(url: string, name: string): string {
  const beginning = name.endsWith('*') ? decoded(name.slice(0, -1)) : undefined;
  const isMeant = (found: string): boolean => (beginning === undefined ? found === decoded(name) : found.startsWith(beginning));
  const { parameters, ...rest } = queryOf(url);
  return joined({ ...rest, parameters: parameters.filter((parameter) => !isMeant(nameOf(parameter))) });
}

/** A URL cut at its query, so that nothing is lost: no parameters where there is no `?`, an empty one where nothing follows it. */
interface Query {
  readonly front: string;
  readonly parameters: readonly string[];
  readonly fragment: string;
}

function queryOf(url: string): Query {
  const [, front = url, query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  return { front, parameters: query?.split('&') ?? [], fragment };
}

function joined({ front, parameters, fragment }: Query): string {
  return `${front}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}${fragment}`;
}

function nameOf(parameter: string): string {
  return decoded(parameter.replace(/=.*/s, ''));
}

function withValue(parameter: string, value: string): string {
  const [, name = parameter, before = ''] = /^([^=]*)=?(.*)$/s.exec(parameter) ?? [];
  return decoded(before) === decoded(value) ? parameter : `${name}=${encoded(value)}`;
}

/** As forms read it. Bytes that are no UTF-8 stay encoded. */
function decoded(text: string): string {
  return text.replaceAll('+', ' ').replace(/(?:%[0-9A-Fa-f]{2})+/g, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
}

/** What a query cannot hold is percent-encoded; what is encoded already is not encoded again. */
function encoded(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$'()*+,;=:@/?%]/gu, (character) => encodeURIComponent(character));
}
