/** JSON Schema draft 2020-12. Further members are allowed everywhere, because servers and later versions add some. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const anything: Schema = {};
export const dateTime: Schema = { type: 'string', description: 'UTC, as the server writes it: 2031-01-31 09:00:00' };
export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
export const oneOf = (words: readonly string[]): Schema => ({ enum: words });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });

export interface Optional {
  readonly optional: Schema;
}
export const optional = (schema: Schema): Optional => ({ optional: schema });
const isOptional = (member: Schema | Optional): member is Optional => 'optional' in member;

export function object(members: Readonly<Record<string, Schema | Optional>>): Schema {
  const entries = Object.entries(members);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, member]) => [name, isOptional(member) ? member.optional : member])),
    required: entries.filter(([, member]) => !isOptional(member)).map(([name]) => name),
  };
}

/** Needs every member of the contract's type, and `Optional` for optional ones. */
export type Members<T> = { [K in keyof T]-?: undefined extends T[K] ? Optional : Schema };
export const record = <T>(members: Members<T>): Schema => object(members as Readonly<Record<string, Schema | Optional>>);

export function optionals(names: readonly string[], schema: Schema): Readonly<Record<string, Optional>> {
  return Object.fromEntries(names.map((name) => [name, optional(schema)]));
}
