/** Errors of a rule's text, each with the place that cel-go would point at. */
export class Issues {
  readonly #text: string;
  readonly #found: { offset: number; message: string }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  add(offset: number, message: string): void {
    this.#found.push({ offset, message });
  }

  /** As cel-go shows them: line, column and the line itself, in the order of the text. */
  toString(): string {
    return this.#found
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, message }) => this.#shown(offset, message))
      .join('\n');
  }

  #shown(offset: number, message: string): string {
    const before = this.#text.slice(0, offset).split('\n');
    const line = (this.#text.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
    const column = Array.from(before.at(-1) ?? '').length;
    const characters = Array.from(line);
    const isWide = (character: string | undefined) => character !== undefined && Buffer.byteLength(character) > 1;
    const dots = characters.slice(0, column).map((character) => (isWide(character) ? '\uff0e' : '.'));
    const mark = isWide(characters[column]) ? '\uff3e' : '^';
    return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${dots.join('')}${mark}`;
  }
}
