import { wrap } from '../base/wrap.ts';

/** Undefined if there are no lines. */
export function section(title: string, lines: readonly string[]): string | undefined {
  return lines.length > 0 ? [title, ...lines].join('\n') : undefined;
}

/** Wraps the second column beside the first, or below it if the term is long. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(28, Math.max(0, ...rows.map(([term]) => term.length)));
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, 80 - width - 4);
    const indent = ' '.repeat(width + 4);
    const beside = term.length <= width;
    const first = beside ? `  ${term.padEnd(width)}  ${lines.shift() ?? ''}` : `  ${term}`;
    return [first.trimEnd(), ...lines.map((line) => indent + line)];
  });
}
