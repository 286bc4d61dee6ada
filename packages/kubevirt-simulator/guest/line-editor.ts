/** What a typed byte did to a line: what is written back, and the line if the byte ended it. */
export interface Keystroke {
  echo: string;
  /** `undefined`: the line goes on. */
  ended?: { by: 'enter' | 'interrupt' | 'endOfFile'; line: string };
}

/** The longest line that a Linux terminal takes (N_TTY_BUF_SIZE, less its newline). */
const LONGEST = 4095;

const BELL = '\x07';
const ERASE = '\b \b';
/** Byte values, by what a terminal sends for a key. */
const KEY = { interrupt: 0x03, endOfFile: 0x04, backspace: 0x08, newline: 0x0a, enter: 0x0d, kill: 0x15, escape: 0x1b };
const DELETE = 0x7f;

/**
 * A terminal's line as it is typed, by bytes: backspace and ^U erase, ^C and ^D end it. Cursor and function keys do
 * nothing.
 */
export class LineEditor {
  readonly #bytes: number[] = [];
  /** Within an escape sequence: the byte after ESC has not come, or its final one. */
  #escape: 'introducer' | 'parameters' | undefined;

  type(byte: number): Keystroke {
    if (this.#escape !== undefined || byte === KEY.escape) return this.#skip(byte);
    switch (byte) {
      case KEY.enter:
      case KEY.newline:
        return { echo: '\r\n', ended: { by: 'enter', line: this.#take() } };
      case KEY.interrupt:
        return { echo: '^C\r\n', ended: { by: 'interrupt', line: this.#take() } };
      case KEY.endOfFile:
        return this.#bytes.length === 0 ? { echo: '', ended: { by: 'endOfFile', line: '' } } : { echo: '' };
      case KEY.backspace:
      case DELETE:
        return this.#erase();
      case KEY.kill:
        return { echo: ERASE.repeat(this.#bytes.splice(0).filter(isFirst).length) };
      default:
        return byte < 0x20 ? { echo: '' } : this.#append(byte);
    }
  }

  #append(byte: number): Keystroke {
    if (this.#bytes.length >= LONGEST) return { echo: BELL };
    this.#bytes.push(byte);
    return { echo: String.fromCharCode(byte) };
  }

  /** Takes off a character, which is several bytes where it is not ASCII. */
  #erase(): Keystroke {
    if (this.#bytes.length === 0) return { echo: '' };
    const first = this.#bytes.findLastIndex(isFirst);
    this.#bytes.length = Math.max(0, first);
    return { echo: ERASE };
  }

  #skip(byte: number): Keystroke {
    if (byte === KEY.escape) this.#escape = 'introducer';
    else if (this.#escape === 'introducer') this.#escape = byte === 0x5b || byte === 0x4f ? 'parameters' : undefined;
    else if (byte >= 0x40 && byte <= 0x7e) this.#escape = undefined;
    return { echo: '' };
  }

  /** One character for each byte. */
  #take(): string {
    return String.fromCharCode(...this.#bytes.splice(0));
  }
}

/** Not a continuation of a UTF-8 sequence. */
function isFirst(byte: number): boolean {
  return byte < 0x80 || byte > 0xbf;
}
