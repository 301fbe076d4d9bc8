import { inspect } from 'node:util';
import { orElse } from '../base/errors.ts';
import { removedKey } from '../contract/records.ts';

const placeholder = '[redacted]';

/** Shows the last four characters if enough others stay hidden. */
export function maskKey(key: string): string {
  return key.length >= 16 ? `****${key.slice(-4)}` : '****';
}

/**
 * Removes secrets from any text before it is printed or logged: keys in every form in which they are sent, proxy passwords and userinfo of
 * URLs. One object per command; secrets are added as they become known.
 */
export class Redactor {
  /** Longest first: replacing a prefix first would leave the rest of a longer secret visible. */
  #secrets: readonly string[] = [];
  /** Forms of keys that are too long to occur by chance, longest first. */
  #long: readonly string[] = [];
  /** Built on first use. */
  #pattern: RegExp | undefined;

  addKey(key: string, username?: string): void {
    this.#add(key);
    if (username !== undefined) this.#add(`${username}:${key}`);
  }

  /** Hides only the credentials of the proxy's address. */
  addProxy(url: string | undefined): void {
    // Few have a proxy, and making the pattern takes a tenth of a millisecond.
    const userinfo = url && /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)@/i.exec(url)?.[1];
    if (!userinfo) return;
    const password = userinfo.slice(userinfo.indexOf(':') + 1);
    this.#add(userinfo, password, decoded(userinfo), decoded(password));
  }

  redact(text: string): string {
    // Most texts hold no secret, and making a pattern takes longer than looking for each.
    let known = text;
    if (this.#secrets.some((secret) => text.includes(secret))) {
      this.#pattern ??= patternOf(this.#secrets);
      known = text.replace(this.#pattern, placeholder);
    }
    const bare = known.includes('@') ? known.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>]*@/gi, `$1${placeholder}@`) : known;
    return bare.replace(/(authorization["']?\s*[:=,]\s*["']?(?:basic|bearer)\s+)[^\s"',]+/gi, `$1${placeholder}`);
  }

  /** Removes only long keys, because a short key could be part of any word, and marks their places, so that the rest is not sent as a value. */
  withoutKey(text: string): string {
    return this.#long.reduce((rest, form) => rest.replaceAll(form, removedKey), text);
  }

  #add(...secrets: string[]): void {
    const forms = new Set([...this.#secrets, ...secrets.flatMap(withBase64).flatMap(writtenForms)]);
    this.#secrets = [...forms].filter((form) => form !== '').sort((one, other) => other.length - one.length);
    this.#long = this.#secrets.filter(isLong);
    this.#pattern = undefined;
  }
}

const isLong = ({ length }: string): boolean => length >= 16;

/**
 * Long secrets never occur by chance. Shorter ones could be part of a word, so they match only as whole words; with less than six
 * letters they match only after an announcing sign or word.
 */
function patternOf(secrets: readonly string[]): RegExp {
  const shorter = secrets.filter((secret) => !isLong(secret));
  const words = shorter.filter(({ length }) => length >= 6);
  const shortest = shorter.filter(({ length }) => length < 6);
  const oneOf = (some: readonly string[]): string => `(?:${some.map(escaped).join('|')})(?!\\w)`;
  return new RegExp(
    [
      ...secrets.filter(isLong).map(escaped),
      ...(words.length > 0 ? [`(?<!\\w)${oneOf(words)}`] : []),
      ...(shortest.length > 0 ? [`(?<=${announced})${oneOf(shortest)}`] : []),
    ].join('|'),
    'g',
  );
}

/** Matches `x=`, `"x":"`, `ann:`, `the key `, `password: "`. */
const announced = `(?:=|\\w["']?:)["']?|(?:[Kk]ey|[Tt]oken|[Pp]assword|[Ss]ecret)["']?:?\\s+["']?`;

/** The secret itself, percent-encoded, and as a string in JSON and JavaScript. */
function writtenForms(secret: string): string[] {
  // All its forms are equal.
  if (/^[\w.-]*$/.test(secret)) return [secret];
  const encoded = encodeURIComponent(secret);
  // As `URLSearchParams` does, which Node would compile for this alone.
  const form = encoded.replaceAll('%20', '+').replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const lowerCase = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const forms = [secret, encoded, lowerCase(encoded), form, lowerCase(form)];
  // Most secrets need no escapes in a string.
  if (/^[ !#-&(-[\]-_a-~]*$/.test(secret)) return forms;
  return [...forms, JSON.stringify(secret).slice(1, -1), inspect(secret).slice(1, -1)];
}

/** With and without padding, in both alphabets. */
function withBase64(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64');
  return [secret, base64, base64.replace(/=+$/, ''), bytes.toString('base64url')];
}

function decoded(text: string): string {
  return orElse(() => decodeURIComponent(text), text);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
