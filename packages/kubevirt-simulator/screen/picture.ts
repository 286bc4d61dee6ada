import { GLYPH, glyphOf } from './font.ts';
import { cell, type TextScreen } from './text-screen.ts';

/** Red, green and blue of VGA's colours, 0 to 255. */
export const PALETTE: readonly (readonly [number, number, number])[] = [
  [0x00, 0x00, 0x00],
  [0x00, 0x00, 0xaa],
  [0x00, 0xaa, 0x00],
  [0x00, 0xaa, 0xaa],
  [0xaa, 0x00, 0x00],
  [0xaa, 0x00, 0xaa],
  [0xaa, 0x55, 0x00],
  [0xaa, 0xaa, 0xaa],
  [0x55, 0x55, 0x55],
  [0x55, 0x55, 0xff],
  [0x55, 0xff, 0x55],
  [0x55, 0xff, 0xff],
  [0xff, 0x55, 0x55],
  [0xff, 0x55, 0xff],
  [0xff, 0xff, 0x55],
  [0xff, 0xff, 0xff],
];

/** A picture: an index of the palette for each pixel, row by row. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A part of the screen in characters. */
export interface Area {
  column: number;
  row: number;
  columns: number;
  rows: number;
}

/** Paints the whole screen. */
export function pictureOf(screen: TextScreen): Picture {
  const { columns, rows } = screen;
  return paint(screen.cells(), columns, { column: 0, row: 0, columns, rows });
}

/**
 * Paints a part of the screen.
 *
 * @param cells of the whole screen
 * @param stride columns of the whole screen
 */
export function paint(cells: Uint16Array, stride: number, area: Area): Picture {
  const width = area.columns * GLYPH.width;
  const height = area.rows * GLYPH.height;
  const pixels = new Uint8Array(width * height);
  for (let row = 0; row < area.rows; row += 1) {
    for (let column = 0; column < area.columns; column += 1) {
      const value = cells[(area.row + row) * stride + area.column + column] ?? 0;
      paintCell(pixels, row * GLYPH.height * width + column * GLYPH.width, width, value);
    }
  }
  return { width, height, pixels };
}

/** Rows of a cell that the cursor fills. */
const CURSOR_ROWS = [13, 14];

function paintCell(pixels: Uint8Array, at: number, width: number, value: number): void {
  const colour = cell.colour(value);
  const background = cell.background(value);
  const hasCursor = cell.hasCursor(value);
  for (const [y, bits] of glyphOf(cell.code(value)).entries()) {
    const row = hasCursor && CURSOR_ROWS.includes(y) ? 0xff : bits;
    for (let x = 0; x < GLYPH.width; x += 1) {
      pixels[at + y * width + x] = (row & (0x80 >> x)) === 0 ? background : colour;
    }
  }
}
