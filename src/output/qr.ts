import { encode } from 'uqr';

/** Includes the quiet zone, without which cameras do not find the code. */
interface QrCode {
  /** Modules per row and column. */
  readonly size: number;
  /** Rows from the top; true is dark. */
  readonly modules: readonly (readonly boolean[])[];
}

export interface QrCanvas {
  readonly coloured: boolean;
  /** Half blocks draw two modules per cell; ASCII needs two cells per module. */
  readonly halves: boolean;
}

/** Modules of margin on each side. */
const quietZone = 4;

/** Uses the smallest size and the best error correction that fits. Undefined if the text is too long. */
export function qrCode(text: string): QrCode | undefined {
  try {
    const { size, data } = encode(text, { ecc: 'L', boostEcc: true, border: quietZone });
    return { size, modules: data };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function qrWidth({ size }: QrCode, { halves }: QrCanvas): number {
  return halves ? size : size * 2;
}

/** Coloured codes are dark on light on any terminal. Without colour, a terminal with a light background shows a negative, which most cameras read. */
export function drawQr({ size, modules }: QrCode, { coloured, halves }: QrCanvas): string[] {
  if (!halves) {
    const signs = coloured ? ['\u001b[107m  ', '\u001b[40m  '] : ['##', '  '];
    return modules.map((row) => row.map((dark) => signs[Number(dark)]).join('') + (coloured ? plain : ''));
  }
  const lines: string[] = [];
  for (let top = 0; top < size; top += 2) {
    const pairs = (modules[top] ?? []).map((upper, column) => [upper, modules[top + 1]?.[column] ?? false]);
    const line = pairs.map(([upper, lower]) => blocks[`${upper === coloured}/${lower === coloured}`]).join('');
    lines.push(coloured ? `\u001b[30;107m${line}${plain}` : line);
  }
  return lines;
}

const plain = '\u001b[0m';

/** Keys: upper half is ink / lower half is ink. */
const blocks: { readonly [halves: string]: string } = {
  'true/true': '█',
  'true/false': '▀',
  'false/true': '▄',
  'false/false': ' ',
};

/** `scale` is in pixels per module. */
export function qrSvg({ size, modules }: QrCode, scale = 8): string {
  const path = modules.flatMap((row, y) =>
    [
      ...row
        .map((dark) => (dark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * scale}" height="${size * scale}" ` +
    `shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path.join('')}"/></svg>\n`
  );
}
