import { GLYPH } from './font.ts';
import type { Area } from './picture.ts';
import { BLANK, type TextScreen } from './text-screen.ts';

/** What the picture of a client lacks: a part that has moved up, or one to paint. */
export type Change = { kind: 'moved'; lines: number } | { kind: 'painted'; area: Area };

/** Stands for a cell whose pixels the client does not have; no cell has this value. */
const MISSING = 0;
/** Unchanged cells between two changed ones in a line up to which one rectangle covers both. */
const GAP = 4;

/** The cells that a client's picture shows. Its size is that of the screen when the client was told of it. */
export class ClientPicture {
  readonly columns: number;
  readonly rows: number;
  /** The cells of the latest comparison, which `paint` takes. */
  cells: Uint16Array;
  #scrolled: number;

  constructor(screen: TextScreen) {
    this.columns = screen.columns;
    this.rows = screen.rows;
    this.cells = new Uint16Array(this.columns * this.rows).fill(MISSING);
    this.#scrolled = screen.scrolled;
  }

  get width(): number {
    return this.columns * GLYPH.width;
  }

  get height(): number {
    return this.rows * GLYPH.height;
  }

  hasSizeOf(screen: TextScreen): boolean {
    return screen.columns === this.columns && screen.rows === this.rows;
  }

  /** Forgets a part, which is then painted again. */
  forget(area: Area): void {
    for (let row = area.row; row < area.row + area.rows; row += 1) {
      const at = row * this.columns + area.column;
      this.cells.fill(MISSING, at, at + area.columns);
    }
  }

  /** The cells that a rectangle of pixels touches. */
  areaOf({ x, y, width, height }: { x: number; y: number; width: number; height: number }): Area {
    const right = Math.min(this.columns, Math.ceil((x + width) / GLYPH.width));
    const lower = Math.min(this.rows, Math.ceil((y + height) / GLYPH.height));
    const column = Math.min(right, Math.floor(x / GLYPH.width));
    const row = Math.min(lower, Math.floor(y / GLYPH.height));
    return { column, row, columns: right - column, rows: lower - row };
  }

  /**
   * The changes that bring a part of the picture up to date, in order.
   *
   * @param canMove whether the client can move pixels itself
   */
  follow(screen: TextScreen, area: Area, canMove: boolean): Change[] {
    const next = this.#fit(screen);
    const lines = screen.scrolled - this.#scrolled;
    this.#scrolled = screen.scrolled;
    const isWhole = area.columns === this.columns && area.rows === this.rows;
    const moves = canMove && isWhole && this.hasSizeOf(screen) && lines > 0 && lines < this.rows;
    if (moves) this.cells.copyWithin(0, lines * this.columns);
    const painted = this.#differences(next, area);
    for (let row = area.row; row < area.row + area.rows; row += 1) {
      const at = row * this.columns + area.column;
      this.cells.set(next.subarray(at, at + area.columns), at);
    }
    const changes: Change[] = painted.map((part) => ({ kind: 'painted', area: part }));
    return moves ? [{ kind: 'moved', lines }, ...changes] : changes;
  }

  /** The screen's cells in the size of this picture. */
  #fit(screen: TextScreen): Uint16Array {
    const cells = screen.cells();
    if (this.hasSizeOf(screen)) return cells;
    const fitted = new Uint16Array(this.columns * this.rows).fill(BLANK);
    const columns = Math.min(this.columns, screen.columns);
    for (let row = 0; row < Math.min(this.rows, screen.rows); row += 1) {
      fitted.set(cells.subarray(row * screen.columns, row * screen.columns + columns), row * this.columns);
    }
    return fitted;
  }

  /** Rectangles around the cells of the area that differ; those of the same columns in successive lines are one. */
  #differences(next: Uint16Array, area: Area): Area[] {
    const areas: Area[] = [];
    let above: Area[] = [];
    for (let row = area.row; row < area.row + area.rows; row += 1) {
      const runs = this.#runs(next, area, row).map((run) => {
        const taller = above.find(({ column, columns }) => column === run.column && columns === run.columns);
        if (taller === undefined) areas.push(run);
        else taller.rows += 1;
        return taller ?? run;
      });
      above = runs;
    }
    return areas;
  }

  #runs(next: Uint16Array, { column: left, columns }: Area, row: number): Area[] {
    const runs: Area[] = [];
    for (let column = left; column < left + columns; column += 1) {
      const at = row * this.columns + column;
      if (next[at] === this.cells[at]) continue;
      const last = runs.at(-1);
      if (last !== undefined && column - (last.column + last.columns) <= GAP) last.columns = column + 1 - last.column;
      else runs.push({ column, row, columns: 1, rows: 1 });
    }
    return runs;
  }
}
