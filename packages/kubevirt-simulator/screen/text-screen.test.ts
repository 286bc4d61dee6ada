import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { cell, resized, STARTED, TextScreen } from './text-screen.ts';

let screen: TextScreen;

beforeEach(() => {
  screen = new TextScreen();
});

describe('a text screen', () => {
  it('has 25 lines of 80 characters', () => {
    screen.write(`one\r\ntwo\r\n${'x'.repeat(81)}`);
    expect(screen.lines().slice(0, 5)).toEqual(['one', 'two', 'x'.repeat(80), 'x', '']);
    expect(screen.lines()).toHaveLength(25);
  });

  it('scrolls', () => {
    for (let line = 1; line <= 30; line += 1) screen.write(`line ${line}\r\n`);
    expect(screen.scrolled).toBe(6);
    expect(screen.lines().slice(0, 1)).toEqual(['line 7']);
    expect(screen.lines().slice(-2)).toEqual(['line 30', '']);
  });

  it('supports backspace and tabs', () => {
    screen.write('rooot\b \b\b \bt\ta');
    expect(screen.lines()[0]).toBe('root    a');
  });

  it('shows where the cursor is', () => {
    screen.write('\r\nab');
    const at = [...screen.cells()].flatMap((value, index) => (cell.hasCursor(value) ? [index] : []));
    expect(at).toEqual([82]);
  });

  it.each([
    ['\x1b[31ma', 4, 0],
    ['\x1b[0;32ma', 2, 0],
    ['\x1b[1;34;41ma', 9, 4],
    ['\x1b[31m\x1b[ma', 7, 0],
    ['\x1b[31;39;44;49ma', 7, 0],
  ])('colours %j', (text, colour, background) => {
    screen.write(text);
    const [value = 0] = screen.cells();
    expect([cell.colour(value), cell.background(value)]).toEqual([colour, background]);
    expect(screen.lines()[0]).toBe('a');
  });

  it('places the cursor, and erases', () => {
    screen.write('12345\r\n12345\x1b[1;3H\x1b[K');
    expect(screen.lines().slice(0, 2)).toEqual(['12', '12345']);
    screen.write('\x1b[2;2H\x1b[1K');
    expect(screen.lines()[1]).toBe('  345');
    screen.write('\x1b[2J\x1b[Hx');
    expect(screen.lines().join('')).toBe('x');
  });

  it('takes a control sequence in parts', () => {
    for (const character of '\x1b[31mred') screen.write(character);
    expect(screen.lines()[0]).toBe('red');
  });

  it('takes another size, and its first one at a start', () => {
    screen.write(`text${resized(160, 50)}`);
    expect([screen.columns, screen.rows, screen.lines().join('')]).toEqual([160, 50, '']);
    screen.write('x\n'.repeat(60));
    expect(screen.scrolled).toBe(11);
    screen.write(STARTED);
    expect([screen.columns, screen.rows, screen.scrolled]).toEqual([80, 25, 0]);
  });

  it('remains a screen after any text', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc
        .tuple(fc.array(fc.nat(), { maxLength: 4 }), fc.constantFrom('H', 'J', 'K', 'm', 't', 'A'))
        .map(([parameters, operation]) => `\x1b[${parameters.join(';')}${operation}`),
      fc.constantFrom(STARTED, 'x'.repeat(300), '\n'.repeat(70), resized(0, 0), resized(1e6, 1e6)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const any = new TextScreen();
        for (const text of pieces) any.write(text);
        const cells = any.cells();
        expect(cells).toHaveLength(any.columns * any.rows);
        expect(cells.length).toBeLessThanOrEqual(160 * 50);
        expect(cells.filter(cell.hasCursor)).toHaveLength(1);
        expect(cells.every((value) => cell.code(value) >= 0x20)).toBe(true);
      }),
    );
  });
});
