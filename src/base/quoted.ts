/** Text that was typed or read, for a message: quoted, cut, and without the userinfo of a URL. */
export function quoted(text: string): string {
  // Cut afterwards: a cut could part a password from the @ after it.
  const safe = text.replace(/\/\/[^/?#]*@/, '//***@');
  return JSON.stringify(safe.length > 80 ? `${safe.slice(0, 80)}...` : safe);
}
