import type { Row, RowPrinter, RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';

/** Draws after all rows have arrived. */
export async function createChart(draw: Required<RowsReport>['chart'], streams: Streams): Promise<RowPrinter> {
  const paint = await streams.paint('stdout');
  const rows: Row[] = [];
  return {
    row: (row) => void rows.push(row),
    async end(complete) {
      if (!complete || rows.length === 0) return;
      const lines = draw(rows, { width: streams.width(), glyphs: streams.glyphs, paint });
      await streams.stdout.write(lines.map((line) => `${line}\n`).join(''));
    },
  };
}
