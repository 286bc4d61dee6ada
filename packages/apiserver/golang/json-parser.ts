import type { Json, JsonObject } from '../json.ts';

/** The keys of an object as the text has them, with their values; for objects that have a key more than once. */
export type Entries = readonly (readonly [string, Json])[];

export interface ParsedJson {
  /** Of keys that come more than once, the last value. */
  readonly value: Json;
  readonly repeated: ReadonlyMap<JsonObject, Entries>;
}

/**
 * Parses JSON as Go's encoding/json does, for what JSON.parse keeps to itself: keys that come more than once, and errors
 * in Go's words. Throws SyntaxError.
 */
export class JsonParser {
  readonly #text: string;
  readonly #repeated = new Map<JsonObject, Entries>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): ParsedJson {
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fails('after top-level value');
    return { value, repeated: this.#repeated };
  }

  #value(): Json {
    this.#skipSpace();
    const character = this.#text[this.#at];
    switch (character) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        if (character === '-' || isDigit(character)) return this.#number();
        throw this.#fails('looking for beginning of value');
    }
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    const entries: [string, Json][] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#takes('}')) return object;
    for (;;) {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#fails('looking for beginning of object key string');
      const key = this.#string();
      this.#skipSpace();
      if (!this.#takes(':')) throw this.#fails('after object key');
      const value = this.#value();
      // Assigning this one would change the object's prototype.
      if (key !== '__proto__') entries.push([key, value]);
      this.#skipSpace();
      if (this.#takes('}')) break;
      if (!this.#takes(',')) throw this.#fails('after object key:value pair');
    }
    for (const [key, value] of entries) object[key] = value;
    if (Object.keys(object).length < entries.length) this.#repeated.set(object, entries);
    return object;
  }

  #array(): Json[] {
    const array: Json[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#takes(']')) return array;
    for (;;) {
      array.push(this.#value());
      this.#skipSpace();
      if (this.#takes(']')) return array;
      if (!this.#takes(',')) throw this.#fails('after array element');
    }
  }

  #string(): string {
    const start = this.#at;
    for (this.#at += 1; ; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === undefined || character < ' ') throw this.#fails('in string literal');
      if (character === '\\') this.#escape();
      else if (character === '"') break;
    }
    this.#at += 1;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #escape(): void {
    this.#at += 1;
    const character = this.#text[this.#at];
    if (character === undefined || !'bfnrt\\/"u'.includes(character)) throw this.#fails('in string escape code');
    if (character !== 'u') return;
    for (let digit = 0; digit < 4; digit += 1) {
      this.#at += 1;
      if (!/[0-9A-Fa-f]/.test(this.#text[this.#at] ?? '')) throw this.#fails('in \\u hexadecimal character escape');
    }
  }

  #literal(word: string, value: Json): Json {
    for (const expected of word.slice(1)) {
      this.#at += 1;
      if (this.#text[this.#at] !== expected) throw this.#fails(`in literal ${word} (expecting '${expected}')`);
    }
    this.#at += 1;
    return value;
  }

  #number(): number {
    const start = this.#at;
    this.#takes('-');
    if (!isDigit(this.#text[this.#at])) throw this.#fails('in numeric literal');
    if (!this.#takes('0')) this.#digits();
    if (this.#takes('.')) {
      if (!isDigit(this.#text[this.#at])) throw this.#fails('after decimal point in numeric literal');
      this.#digits();
    }
    if (this.#takes('e') || this.#takes('E')) {
      if (!this.#takes('+')) this.#takes('-');
      if (!isDigit(this.#text[this.#at])) throw this.#fails('in exponent of numeric literal');
      this.#digits();
    }
    return Number(this.#text.slice(start, this.#at));
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at])) this.#at += 1;
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }

  #fails(context: string): SyntaxError {
    const character = this.#text[this.#at];
    if (character === undefined) return new SyntaxError('unexpected end of JSON input');
    // Go looks at bytes.
    const [byte = 0] = Buffer.from(character);
    return new SyntaxError(`invalid character ${shown(byte)} ${context}`);
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** A byte in Go's single quotes. */
function shown(byte: number): string {
  if (byte === 0x27) return String.raw`'\''`;
  if (byte === 0x22) return `'"'`;
  const escape = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r', 92: '\\' }[byte];
  if (escape !== undefined) return `'\\${escape}'`;
  const isControl = byte < 0x20 || byte === 0x7f;
  if (isControl) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  return byte >= 0x80 && byte <= 0xa0 ? `'\\u00${byte.toString(16)}'` : `'${String.fromCharCode(byte)}'`;
}
