import { orElse } from '../../base/errors.ts';

/** Percent-encoded text stays unchanged; `+` is a space. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/**
 * Replaces the first parameter of that name and removes repeated ones; a new one is added at the end of the query. Everything else,
 * including an equal value in another encoding, stays byte for byte.
 */
export function withParameter(url: string, { name, value }: Parameter): string {
  const { parameters, ...rest } = queryOf(url);
  const meant = decoded(name);
  const first = parameters.findIndex((parameter) => nameOf(parameter) === meant);
  if (first < 0) {
    // A trailing "?" or "&" already separates.
    const kept = parameters.at(-1) === '' ? parameters.slice(0, -1) : parameters;
    return joined({ ...rest, parameters: [...kept, `${encoded(name)}=${encoded(value)}`] });
  }
  const set = parameters.flatMap((parameter, index) => {
    if (nameOf(parameter) !== meant) return [parameter];
    return index === first ? [withValue(parameter, value)] : [];
  });
  return joined({ ...rest, parameters: set });
}

/** `utm_*` removes all names with that prefix. An empty query loses its `?`. */
export function withoutParameter(url: string, name: string): string {
  const beginning = name.endsWith('*') ? decoded(name.slice(0, -1)) : undefined;
  const isMeant = (found: string): boolean => (beginning === undefined ? found === decoded(name) : found.startsWith(beginning));
  const { parameters, ...rest } = queryOf(url);
  return joined({ ...rest, parameters: parameters.filter((parameter) => !isMeant(nameOf(parameter))) });
}

/** Lossless: `parameters` is empty without `?`, and has one empty entry if nothing follows it. */
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

/** Decodes like a form. Bytes that are not UTF-8 stay encoded. */
function decoded(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9A-Fa-f]{2})+/g, (sequence) => orElse(() => decodeURIComponent(sequence), sequence));
}

/** Does not encode twice. */
function encoded(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$'()*+,;=:@/?%]/gu, (character) => encodeURIComponent(character));
}
