/** A table: the first row is the header. */
export type Rows = readonly (readonly string[])[];

/** Narrowest that a column becomes. */
const NARROWEST = 8;
const GAP = '  ';

/**
 * Formats rows as lines with aligned columns.
 *
 * @param width the widest columns are cut until the lines have that many characters
 */
export function table(rows: Rows, width: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const total = (): number => widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    const room = widths[widest] ?? 0;
    if (room <= NARROWEST) break;
    widths[widest] = room - 1;
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cut(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Breaks a text at its spaces into lines of at most `width` characters, each with the indent. A longer word stays whole. */
export function wrap(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    if (line !== indent && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return line === indent ? lines : [...lines, line];
}
