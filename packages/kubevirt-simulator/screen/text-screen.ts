import { UNKNOWN } from './font.ts';

/** Characters of the screen after power on. */
const SIZE = { columns: 80, rows: 25 } as const;
/** Most characters of a screen that `resized` can ask for. */
const MOST = { columns: 160, rows: 50 } as const;

/** The control sequence for a screen of another size, empty (xterm, window operation 8). */
export function resized(columns: number, rows: number): string {
  return `\x1b[8;${rows};${columns}t`;
}

/** The control sequence of a machine that starts again: an empty screen of the first size. */
export const STARTED = '\x1bc';

/**
 * A cell of the screen in 16 bits: the character (bits 0–6), the colour of its pixels (8–11) and of those around it
 * (12–14) as indexes of the palette, and whether the cursor is there (15).
 */
export const cell = {
  make: (code: number, colour: number, background: number) => code | (colour << 8) | (background << 12),
  code: (value: number) => value & 0x7f,
  colour: (value: number) => (value >> 8) & 0xf,
  background: (value: number) => (value >> 12) & 0x7,
  hasCursor: (value: number) => value >> 15 === 1,
} as const;

const CURSOR = 0x8000;
const GREY = 7;
const BLACK = 0;
/** A space. */
export const BLANK = cell.make(0x20, GREY, BLACK);

/**
 * The text screen of a guest, as a VGA adapter or a frame-buffer console shows it: printable ASCII, line ends,
 * backspace, tabs, and the control sequences for colours, cursor and erasing (ECMA-48). Others have no effect.
 */
export class TextScreen {
  #columns: number = SIZE.columns;
  #rows: number = SIZE.rows;
  #cells = new Uint16Array(SIZE.columns * SIZE.rows).fill(BLANK);
  #column = 0;
  #row = 0;
  #colour = GREY;
  #background = BLACK;
  #isBright = false;
  #scrolled = 0;
  /** A control sequence that is not complete. */
  #sequence = '';

  get columns(): number {
    return this.#columns;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Number of lines that have left the screen at its top. */
  get scrolled(): number {
    return this.#scrolled;
  }

  /** The cells, row by row, with the cursor. */
  cells(): Uint16Array {
    const cells = this.#cells.slice();
    const at = this.#row * this.#columns + Math.min(this.#column, this.#columns - 1);
    cells[at] = (cells[at] ?? BLANK) | CURSOR;
    return cells;
  }

  /** The lines without spaces at their ends. */
  lines(): string[] {
    return Array.from({ length: this.#rows }, (_, row) => {
      const line = this.#cells.subarray(row * this.#columns, (row + 1) * this.#columns);
      return String.fromCharCode(...Array.from(line, cell.code)).trimEnd();
    });
  }

  /** @param text one character for each byte */
  write(text: string): void {
    for (const character of text) {
      if (this.#sequence !== '') this.#continue(character);
      else if (character >= ' ') this.#print(character.charCodeAt(0));
      else this.#control(character);
    }
  }

  #print(code: number): void {
    if (this.#column === this.#columns) {
      this.#column = 0;
      this.#feed();
    }
    const colour = this.#colour | (this.#isBright ? 8 : 0);
    const at = this.#row * this.#columns + this.#column;
    this.#cells[at] = cell.make(Math.min(code, UNKNOWN), colour, this.#background);
    this.#column += 1;
  }

  #control(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#feed();
    else if (character === '\b') this.#column = Math.max(0, Math.min(this.#column, this.#columns - 1) - 1);
    else if (character === '\t') this.#column = Math.min(this.#columns - 1, (this.#column | 7) + 1);
    else if (character === '\x1b') this.#sequence = character;
  }

  #feed(): void {
    if (this.#row < this.#rows - 1) {
      this.#row += 1;
      return;
    }
    this.#cells.copyWithin(0, this.#columns);
    this.#cells.fill(BLANK, -this.#columns);
    this.#scrolled += 1;
  }

  #continue(character: string): void {
    const sequence = this.#sequence + character;
    const isComplete = sequence.length === 2 ? character !== '[' : character >= '@' && character <= '~';
    if (!isComplete && sequence.length < LONGEST) {
      this.#sequence = sequence;
      return;
    }
    this.#sequence = '';
    if (sequence === STARTED) this.#resize(SIZE.columns, SIZE.rows);
    else if (isComplete && sequence.length > 2) this.#carryOut(character, sequence.slice(2, -1).split(';').map(Number));
  }

  #carryOut(operation: string, parameters: readonly number[]): void {
    const [first = 0, second = 0, third = 0] = parameters.map((value) => (Number.isNaN(value) ? 0 : value));
    if (operation === 'm') for (const value of parameters) this.#select(value);
    else if (operation === 't' && first === 8) this.#resize(third, second);
    else if (operation === 'H') this.#place(second - 1, first - 1);
    else if (operation === 'J' || operation === 'K') this.#erase(operation === 'J', first);
  }

  #select(value: number): void {
    if (value === 0) [this.#colour, this.#background, this.#isBright] = [GREY, BLACK, false];
    else if (value === 1) this.#isBright = true;
    else if (value === 39) this.#colour = GREY;
    else if (value === 49) this.#background = BLACK;
    else if (value >= 30 && value <= 37) this.#colour = PALETTE_ORDER[value - 30] ?? GREY;
    else if (value >= 40 && value <= 47) this.#background = PALETTE_ORDER[value - 40] ?? BLACK;
  }

  #place(column: number, row: number): void {
    this.#column = Math.max(0, Math.min(column, this.#columns - 1));
    this.#row = Math.max(0, Math.min(row, this.#rows - 1));
  }

  /** Erases the screen or the line: 0 after the cursor, 1 before it, 2 all. */
  #erase(screen: boolean, what: number): void {
    const at = this.#row * this.#columns + Math.min(this.#column, this.#columns - 1);
    const start = screen ? 0 : this.#row * this.#columns;
    const end = screen ? this.#cells.length : start + this.#columns;
    this.#cells.fill(BLANK, what === 0 ? at : start, what === 1 ? at + 1 : end);
  }

  #resize(columns: number, rows: number): void {
    this.#columns = Math.max(1, Math.min(columns, MOST.columns));
    this.#rows = Math.max(1, Math.min(rows, MOST.rows));
    this.#cells = new Uint16Array(this.#columns * this.#rows).fill(BLANK);
    this.#place(0, 0);
    this.#select(0);
    this.#scrolled = 0;
  }
}

/** Characters of the longest control sequence. */
const LONGEST = 32;

/** Indexes of the palette in the order of ECMA-48: its red and blue are VGA's blue and red. */
const PALETTE_ORDER = [0, 4, 2, 6, 1, 5, 3, 7] as const;
