import { fields, namesOf } from '../contract/fields.ts';
import type { EditFields } from '../contract/operations.ts';

/** Returns the values that a new link does not have anyway. */
export function withoutDefaults<Fields extends EditFields>(given: Fields): Fields {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !isEmpty(value))) as Fields;
}

/** Returns all values of a link. They are not sent, but show whether the server gave a new link others. */
export function withDefaults<Fields extends EditFields>(given: Fields): Fields {
  const defaults = namesOf(fields).flatMap((name) => (fields[name].default === undefined ? [] : [[name, fields[name].default]]));
  return { ...Object.fromEntries(defaults), ...given };
}
