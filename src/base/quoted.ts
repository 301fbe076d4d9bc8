/** Quotes a text for messages, shortens it and hides the userinfo of URLs. */
export function quoted(text: string): string {
  // Shortened last: a cut could separate a password from the @ after it.
  const safe = text.replace(/\/\/[^/?#]*@/, '//***@');
  return JSON.stringify(safe.length > 80 ? `${safe.slice(0, 80)}...` : safe);
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Quotes a text for a shell, so that hints can be pasted. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}

/** A flag with its value, in one word if the value looks like a flag itself. */
export function flagText(flag: string, value: string): string {
  return `${flag}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`;
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
