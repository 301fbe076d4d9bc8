/** The fields in which a text is searched (FIELD-NOTES 15). */
export const searchedColumns = ['long_url', 'note', 'hash'] as const;

/** A text anywhere in a field, as a pattern of LIKE with a backslash before what is meant literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
