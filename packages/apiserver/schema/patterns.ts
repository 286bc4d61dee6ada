const COMPILED = new Map<string, RegExp>();
/** Enough for the patterns of every CRD that a sandbox holds; rules may build patterns out of values. */
const MOST_COMPILED = 2_000;

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** Go's regular expressions (RE2 syntax) as JavaScript's. Throws Error in the words of Go's regexp package. */
export function compilePattern(pattern: string): RegExp {
  const known = COMPILED.get(pattern);
  if (known !== undefined) return known;
  const compiled = new Translation(pattern).compile();
  if (COMPILED.size >= MOST_COMPILED) COMPILED.clear();
  COMPILED.set(pattern, compiled);
  return compiled;
}

class Translation {
  readonly #pattern: string;
  #at = 0;
  #result = '';
  #flags = 'u';
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  compile(): RegExp {
    while (this.#at < this.#pattern.length) this.#next();
    if (this.#depth > 0) throw fails('missing closing )', this.#pattern);
    try {
      return new RegExp(this.#result, this.#flags);
    } catch {
      throw fails('invalid regexp', this.#pattern);
    }
  }

  #next(): void {
    const rest = this.#pattern.slice(this.#at);
    switch (rest[0]) {
      case '\\':
        this.#escape(rest, false);
        return;
      case '[':
        this.#characterClass();
        return;
      case '(':
        this.#group(rest);
        return;
      case ')':
        this.#depth -= 1;
        if (this.#depth < 0) throw fails('unexpected )', this.#pattern);
        this.#emit(')', 1);
        return;
      case '.':
        this.#emit(this.#flags.includes('s') ? '.' : '[^\\n]', 1);
        return;
      case '*':
      case '+':
      case '?':
        this.#repetition(/^[*+?]\??/.exec(rest)?.[0] ?? '');
        return;
      case '{':
        this.#braces(rest);
        return;
      case ']':
      case '}':
        this.#emit(`\\${rest[0]}`, 1);
        return;
      default:
        this.#emit(String.fromCodePoint(rest.codePointAt(0) ?? 0), undefined);
    }
  }

  #emit(text: string, consumed = text.length): void {
    this.#result += text;
    this.#at += consumed;
  }

  #repetition(operator: string): void {
    if (this.#result === '' || /(^|[^\\])[(|]$/.test(this.#result))
      throw fails('missing argument to repetition operator', operator);
    const before = /(?:^|[^\\])((?:[*+?]|\{\d+(?:,\d*)?\})\??)$/.exec(this.#pattern.slice(0, this.#at));
    if (before !== null && !this.#result.endsWith('\\' + (before[1] ?? '')))
      throw fails('invalid nested repetition operator', `${before[1] ?? ''}${operator}`);
    this.#emit(operator);
  }

  #braces(rest: string): void {
    const match = /^\{(\d+)(?:,(\d*))?\}\??/.exec(rest);
    if (match === null) {
      this.#emit('\\{', 1);
      return;
    }
    const [operator, least = '', most = ''] = match;
    if (Number(least) > 1000 || Number(most) > 1000 || (most !== '' && Number(most) < Number(least)))
      throw fails('invalid repeat count', operator);
    this.#repetition(operator);
  }

  #group(rest: string): void {
    this.#depth += 1;
    const flags = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
    const name = /^\(\?P?<([^>]*)>/.exec(rest);
    if (!rest.startsWith('(?')) {
      this.#emit('(');
    } else if (/^\(\?P?</.test(rest)) {
      if (name === null) throw fails('invalid named capture', rest);
      if (!/^\w+$/.test(name[1] ?? '')) throw fails('invalid named capture', name[0]);
      this.#emit(`(?<${name[1] ?? ''}>`, name[0].length);
    } else if (flags !== null) {
      this.#groupFlags(flags);
    } else {
      throw fails('invalid or unsupported Perl syntax', /^\(\?[^)]?/.exec(rest)?.[0] ?? rest);
    }
  }

  #groupFlags([text, on = '', off = '', end]: RegExpExecArray): void {
    // What is greedy does not decide whether a text matches.
    const [set, unset] = [on.replaceAll('U', ''), off.replaceAll('U', '')];
    if (end === ':') {
      this.#emit(set === '' && unset === '' ? '(?:' : `(?${set}${unset === '' ? '' : `-${unset}`}:`, text.length);
      return;
    }
    this.#depth -= 1;
    if (this.#result !== '' || unset !== '') throw fails('invalid or unsupported Perl syntax', text);
    for (const flag of set) if (!this.#flags.includes(flag)) this.#flags += flag;
    this.#at += text.length;
  }

  #escape(rest: string, inClass: boolean): void {
    const [, letter = ''] = rest;
    const property = /^\\[pP](\{\^?\w+\}|\w)/.exec(rest);
    const code = /^\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(rest);
    if (letter === '') throw fails('trailing backslash at end of expression', '');
    if (property !== null) {
      this.#property(property);
    } else if (code !== null) {
      this.#emit(`\\u{${code[1] ?? code[2] ?? ''}}`, code[0].length);
    } else if (letter === 'Q' && !inClass) {
      const end = rest.indexOf('\\E');
      const literal = end === -1 ? rest.slice(2) : rest.slice(2, end);
      this.#emit(literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), end === -1 ? rest.length : end + 2);
    } else {
      this.#emit(escapedLetter(letter, inClass), 2);
    }
  }

  /** A general category (`\pL`) or a script (`\p{Greek}`). */
  #property([text, braced = '']: RegExpExecArray): void {
    const name = braced.replace(/[{}]/g, '').replace(/^\^/, '');
    const isNegated = text.startsWith('\\P') !== braced.startsWith('{^');
    const known = [/^[A-Z][a-z]?$/.test(name) ? name : '', `Script=${name}`].find(
      (property) => property !== '' && isProperty(property),
    );
    if (known === undefined) throw fails('invalid character class range', text);
    this.#emit(`\\${isNegated ? 'P' : 'p'}{${known}}`, text.length);
  }

  #characterClass(): void {
    const start = this.#at;
    const open = this.#pattern.startsWith('[^', start) ? '[^' : '[';
    this.#emit(open);
    let isAfterSet = true; // a dash there stands for itself
    for (let first = true; ; first = false) {
      const rest = this.#pattern.slice(this.#at);
      if (rest === '') throw fails('missing closing ]', this.#pattern.slice(start));
      if (rest.startsWith(']') && !first) break;
      const posix = /^\[:(\^?)(\w+):\]/.exec(rest);
      const isSet = posix !== null || /^\\[dDsSwWpP]/.test(rest);
      if (rest.startsWith('-') && (isAfterSet || rest.startsWith('-]'))) this.#emit('\\-', 1);
      else if (/^-\\[dDsSwWpP]/.test(rest))
        throw fails('invalid character class range', this.#pattern.slice(this.#at - 1, this.#at + 3));
      else if (posix !== null) this.#posix(posix);
      else if (rest.startsWith('\\')) this.#escape(rest, true);
      else if (/^[[\](){}/|]/.test(rest)) this.#emit(`\\${rest[0] ?? ''}`, 1);
      else this.#emit(String.fromCodePoint(rest.codePointAt(0) ?? 0), undefined);
      isAfterSet = isSet;
      this.#checkRange();
    }
    this.#emit(']');
  }

  #posix([text, not, name = '']: RegExpExecArray): void {
    const characters = POSIX[name];
    if (characters === undefined) throw fails('invalid character class range', text);
    this.#emit(not === '' ? characters : complement(characters), text.length);
  }

  /** JavaScript tells of ranges in reverse only when all is compiled, and not of which. */
  #checkRange(): void {
    const range = /([^\\\-[])-([^\\\]-])$/u.exec(this.#result);
    if (range !== null && (range[1] ?? '') > (range[2] ?? '')) throw fails('invalid character class range', range[0]);
  }
}

function isProperty(property: string): boolean {
  try {
    new RegExp(`\\p{${property}}`, 'u');
    return true;
  } catch {
    return false;
  }
}

function space(isNot: boolean, inClass: boolean): string {
  if (!inClass) return isNot ? '[^\\t\\n\\f\\r ]' : '[\\t\\n\\f\\r ]';
  return isNot ? '\\u{0}-\\x08\\x0B\\x0E-\\x1F!-\\u{10FFFF}' : '\\t\\n\\f\\r ';
}

function fails(problem: string, text: string): Error {
  return new Error(`error parsing regexp: ${problem}: \`${text}\``);
}

/** A backslash with one letter. */
function escapedLetter(letter: string, inClass: boolean): string {
  // Go's is ASCII, and has no vertical tab.
  if (letter === 's' || letter === 'S') return space(letter === 'S', inClass);
  if (letter === 'a') return '\\x07';
  if (letter === 'A' && !inClass) return '^';
  if (letter === 'z' && !inClass) return '$';
  if ('dDwWftnrv'.includes(letter) || ('bB'.includes(letter) && !inClass)) return `\\${letter}`;
  if (/[0-9A-Za-z]/.test(letter)) throw fails('invalid escape sequence', `\\${letter}`);
  return /[\\^$.*+?()[\]{}|/]/.test(letter) || (inClass && letter === '-') ? `\\${letter}` : letter;
}

/** All characters but those of a class, which are ASCII. */
function complement(characters: string): string {
  const known = new RegExp(`[${characters}]`, 'u');
  const others = Array.from({ length: 128 }, (_, code) => code).filter(
    (code) => !known.test(String.fromCharCode(code)),
  );
  return `${others.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('')}\\u{80}-\\u{10ffff}`;
}
