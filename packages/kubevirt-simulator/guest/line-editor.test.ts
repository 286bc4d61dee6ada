import { describe, expect, it } from 'vitest';
import { LineEditor } from './line-editor.ts';

/** What is written back for each byte, and the lines that were ended. */
function typed(text: string): { echo: string; lines: string[] } {
  const editor = new LineEditor();
  const strokes = [...Buffer.from(text)].map((byte) => editor.type(byte));
  return {
    echo: strokes.map(({ echo }) => echo).join(''),
    lines: strokes.flatMap(({ ended }) => (ended === undefined ? [] : [`${ended.by}:${ended.line}`])),
  };
}

describe('a line as it is typed', () => {
  it('is written back, and ends with Enter', () => {
    expect(typed('ls -l\r')).toEqual({ echo: 'ls -l\r\n', lines: ['enter:ls -l'] });
  });

  it('takes a newline for Enter', () => {
    expect(typed('a\nb\n').lines).toEqual(['enter:a', 'enter:b']);
  });

  it('is shortened by backspace and delete, but not beyond its start', () => {
    expect(typed('ab\x08\x7f\x7fc\r')).toEqual({ echo: 'ab\b \b\b \bc\r\n', lines: ['enter:c'] });
  });

  it('loses a whole character that is several bytes long', () => {
    expect(typed('é\x7f\x7fx\r').lines).toEqual(['enter:x']);
    expect(typed('aé\x7f\r').lines).toEqual(['enter:a']);
  });

  it('is thrown away by ^U and by ^C', () => {
    expect(typed('abc\x15d\r')).toEqual({ echo: 'abc\b \b\b \b\b \bd\r\n', lines: ['enter:d'] });
    expect(typed('abc\x03d\r')).toEqual({ echo: 'abc^C\r\nd\r\n', lines: ['interrupt:abc', 'enter:d'] });
  });

  it('ends by ^D only where nothing was typed', () => {
    expect(typed('\x04').lines).toEqual(['endOfFile:']);
    expect(typed('a\x04\r').lines).toEqual(['enter:a']);
  });

  it('passes cursor and function keys over', () => {
    expect(typed('a\x1b[A\x1bOP\x1b[15~\x1bxb\r').lines).toEqual(['enter:ab']);
  });

  it('passes other control characters over', () => {
    expect(typed('a\x00\x01\tb\x1a\r').lines).toEqual(['enter:ab']);
  });

  it('rings when it is as long as Linux lets it be', () => {
    const { echo, lines } = typed(`${'x'.repeat(5000)}\r`);
    expect(lines).toEqual([`enter:${'x'.repeat(4095)}`]);
    expect(echo).toBe(`${'x'.repeat(4095)}${'\x07'.repeat(905)}\r\n`);
  });
});
