import { inspect } from 'node:util';

const placeholder = '[redacted]';

/** A stored key as people may see it (R-39, B72): its last four characters, if enough others stay hidden. */
export function maskKey(key: string): string {
  return key.length >= 16 ? `****${key.slice(-4)}` : '****';
}

/**
 * Takes the secrets of the command out of any text before it is printed or logged: keys in every form in which they travel,
 * proxy passwords, and the userinfo of any URL. One object for the whole command; secrets are added when they become known.
 */
export class Redactor {
  /** The longest first: of two that begin alike, the shorter would leave the rest of the longer. */
  #secrets: readonly string[] = [];
  /** Forms of keys that no text holds by chance, the longest first. */
  #long: readonly string[] = [];
  /** Made when a text is first redacted. */
  #pattern: RegExp | undefined;

  addKey(key: string, username?: string): void {
    this.#add(key, ...base64Forms(key));
    if (username !== undefined) this.#add(`${username}:${key}`, ...base64Forms(`${username}:${key}`));
  }

  /** A proxy's address, with or without scheme; what it holds besides a password stays visible. */
  addProxy(url: string): void {
    const userinfo = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)@/i.exec(url)?.[1];
    if (!userinfo) return;
    const password = userinfo.slice(userinfo.indexOf(':') + 1);
    const plain = decoded(password);
    this.#add(userinfo, password, plain, ...base64Forms(decoded(userinfo)), ...base64Forms(plain));
  }

  redact(text: string): string {
    if (this.#secrets.length > 0) this.#pattern ??= patternOf(this.#secrets);
    const known = this.#pattern ? text.replace(this.#pattern, placeholder) : text;
    return known
      .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>]*@/gi, `$1${placeholder}@`)
      .replace(/(authorization["']?\s*[:=,]\s*["']?(?:basic|bearer)\s+)[^\s"',]+/gi, `$1${placeholder}`);
  }

  /** Takes the key alone out of text that is kept or handed on. A short key might be a part of any word, and stays. */
  withoutKey(text: string): string {
    return this.#long.some((form) => text.includes(form))
      ? this.#long.reduce((rest, form) => rest.replaceAll(form, placeholder), text)
      : text;
  }

  #add(...secrets: string[]): void {
    const forms = new Set([...this.#secrets, ...secrets.flatMap(writtenForms)]);
    this.#secrets = [...forms].filter((form) => form !== '').sort((one, other) => other.length - one.length);
    this.#long = this.#secrets.filter(isLong);
    this.#pattern = undefined;
  }
}

const isLong = ({ length }: string): boolean => length >= 16;

/**
 * Long secrets are in no text by chance. A short one might be a part of any word, so that it is only found as a whole word; one
 * of less than six letters, which may be a word, only behind a sign or a word that announces it (D46).
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

/** `x=`, `"x":"`, `ann:`, `the key `, `password: "`. */
const announced = `(?:=|\\w["']?:)["']?|(?:[Kk]ey|[Tt]oken|[Pp]assword|[Ss]ecret)["']?:?\\s+["']?`;

/** A secret as it is, percent-encoded in each usual way, and as a string in JSON and in JavaScript. */
function writtenForms(secret: string): string[] {
  // Its forms are all equal.
  if (/^[\w.-]*$/.test(secret)) return [secret];
  const encoded = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const lowerCase = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const forms = [secret, encoded, lowerCase(encoded), form, lowerCase(form)];
  // Most secrets are the same in a string.
  if (/^[ !#-&(-[\]-_a-~]*$/.test(secret)) return forms;
  return [...forms, JSON.stringify(secret).slice(1, -1), inspect(secret).slice(1, -1)];
}

/** A secret in base64: with and without padding, in both alphabets. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64');
  return [base64, base64.replace(/=+$/, ''), bytes.toString('base64url')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
