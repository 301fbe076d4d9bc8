import { safeJsonText } from '../../base/safe-text.ts';

/** Escapes control characters. `undefined` becomes null. */
export function jsonText(value: unknown, pretty = false): string {
  return safeJsonText(stringify(value, pretty) ?? 'null');
}

function stringify(value: unknown, pretty: boolean): string | undefined {
  try {
    return JSON.stringify(value, null, pretty ? 2 : undefined);
  } catch (error) {
    if (error instanceof TypeError && !error.message.includes('BigInt')) throw error;
    return unboundedJson(value);
  }
}

/** Handles values that `JSON.stringify` refuses: deep nesting overflows its stack, and it rejects a BigInt. */
function unboundedJson(root: unknown): string {
  const pieces: string[] = [];
  const waiting: (string | { readonly value: unknown })[] = [{ value: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') pieces.push(next);
    else if (typeof next.value === 'bigint') pieces.push(String(next.value));
    else if (typeof next.value !== 'object' || next.value === null) pieces.push(JSON.stringify(next.value) ?? 'null');
    else waiting.push(...members(next.value).reverse());
  }
  return pieces.join('');
}

function members(value: object): (string | { readonly value: unknown })[] {
  if (Array.isArray(value)) {
    return ['[', ...value.flatMap((element, index) => [...(index > 0 ? [','] : []), { value: element }]), ']'];
  }
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const inner = entries.flatMap(([name, member], index) => [
    `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`,
    { value: member },
  ]);
  return ['{', ...inner, '}'];
}
