export const searchedColumns = ['long_url', 'note', 'hash'] as const;

/** A LIKE pattern with backslashes before special characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
