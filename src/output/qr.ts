import { encode } from 'uqr';

/** A QR code with the light around it that the standard wants: without it a camera does not find the code. */
export interface QrCode {
  /** Modules in a row and in a column. */
  readonly size: number;
  /** Rows from the top; true is dark. */
  readonly modules: readonly (readonly boolean[])[];
}

/** How a terminal can draw. */
export interface QrCanvas {
  readonly coloured: boolean;
  /** Half blocks, two modules in a cell; ASCII without it, where a module takes two cells. */
  readonly halves: boolean;
}

/** Modules of light on each side. */
const quietZone = 4;

/** The smallest QR code for a text, with as much error correction as fits; undefined if the text is too long. */
export function qrCode(text: string): QrCode | undefined {
  try {
    const { size, data } = encode(text, { ecc: 'L', boostEcc: true, border: quietZone });
    return { size, modules: data };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Columns that a drawn code takes. */
export function qrWidth({ size }: QrCode, { halves }: QrCanvas): number {
  return halves ? size : size * 2;
}

/**
 * A code as lines for a terminal. In colour it is dark on light whatever the terminal has: the one place where a background
 * counts (B96). Without colour it is right where ink is light, and elsewhere for cameras that read a negative.
 */
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

/** By whether the upper and the lower half are ink. */
const blocks: { readonly [halves: string]: string } = {
  'true/true': '█',
  'true/false': '▀',
  'false/true': '▄',
  'false/false': ' ',
};

/** A code as an SVG document; `scale`: pixels of a module. */
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
