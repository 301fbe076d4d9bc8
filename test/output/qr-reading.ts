import jsqrModule from 'jsqr';
import type { QrCanvas } from '../../src/output/qr.ts';

// Its types say that the package is a module of its own kind, which it is not.
const jsqr = jsqrModule as unknown as typeof jsqrModule.default;

/** True is dark. */
export type Modules = readonly (readonly boolean[])[];

/** What a camera makes of a picture; undefined where it sees no code. Negatives are not read. */
export function readCode(modules: Modules): string | undefined {
  const scale = 4;
  const size = modules.length * scale;
  const pixels = new Uint8ClampedArray(size * size * 4);
  for (let at = 0; at < size * size; at++) {
    const [row, column] = [Math.floor(at / size / scale), Math.floor((at % size) / scale)];
    const light = modules[row]?.[column] ? 0 : 255;
    pixels.set([light, light, light, 255], at * 4);
  }
  const found = jsqr(pixels, size, size, { inversionAttempts: 'dontInvert' });
  return found ? Buffer.from(found.binaryData).toString() : undefined;
}

/** The light that a terminal gives off: dark on light in colour, and without it a dark terminal. */
export function screenModules(lines: readonly string[], { coloured, halves }: QrCanvas): Modules {
  const rows = lines.flatMap((line) => (halves ? halvesOf(line, coloured) : [pairsOf(line, coloured)]));
  // The last half of an odd number of rows is nothing of the code.
  return rows.slice(0, rows[0]?.length);
}

export function svgModules(svg: string): Modules {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const modules = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    modules[Number(y)]?.fill(true, Number(x), Number(x) + Number(length));
  }
  return modules;
}

function halvesOf(line: string, coloured: boolean): boolean[][] {
  const signs = [...line.replace(/\u001b\[[\d;]*m/g, '')];
  return ['█▀', '█▄'].map((inked) => signs.map((sign) => inked.includes(sign) === coloured));
}

function pairsOf(line: string, coloured: boolean): boolean[] {
  if (coloured) return [...line.matchAll(/\u001b\[(40|107)m {2}/g)].map(([, background]) => background === '40');
  return line.match(/../g)?.map((pair) => pair === '  ') ?? [];
}
