/** Escape codes of a terminal, or the plain text. */
export interface Painter {
  bold: (text: string) => string;
  dim: (text: string) => string;
  red: (text: string) => string;
  green: (text: string) => string;
}

export function painter(colour: boolean): Painter {
  const code = (on: number, off: number) => (text: string) => (colour ? `\x1b[${on}m${text}\x1b[${off}m` : text);
  return { bold: code(1, 22), dim: code(2, 22), red: code(31, 39), green: code(32, 39) };
}

/** Whether to write colours: only to a terminal, and not if the user declines them (no-color.org). */
export function wantsColour(stream: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
