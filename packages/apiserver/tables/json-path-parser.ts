import {
  children,
  descendants,
  field,
  filter,
  JsonPathError,
  literal,
  slice,
  union,
  unknownIdentifier,
  type Step,
} from './json-path-steps.ts';

const DICTIONARY_KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+)$/;
const NUMBER = /[+-]?[\d.]*/y;
/** A backslash takes the sign of an end from what follows it. */
const NAME = /(?:\\[^]?|[^\s.,[\]$@{}\\])*/y;
const IDENTIFIER = /[^\s.,[\]$@{}]*/y;
const QUOTED = /(?:"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*')/y;

/** Parses what stands between the braces of a JSONPath template, into the steps that are taken one after another. */
export class JsonPathParser {
  readonly #text: string;
  #position = 0;
  readonly #steps: Step[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Throws JsonPathError. */
  parse(): Step {
    // Behind a closing brace there would be text.
    while (this.#position < this.#text.length && this.#text[this.#position] !== '}') this.#parseStep();
    return (values) => this.#steps.reduce((found, step) => step(found), values);
  }

  #parseStep(): void {
    const rest = this.#text.slice(this.#position);
    const next = rest.charAt(0);
    if (rest.startsWith('[?(')) this.#parseFilter();
    else if (rest.startsWith('..')) this.#parseDescent();
    else if (next === ' ' || next === '@' || next === '$') this.#position += 1;
    else if (next === '[') this.#parseBrackets();
    else if (next === '"' || next === "'") this.#steps.push(literal(unquoted(this.#take(QUOTED))));
    else if (next === '.') this.#parseField(1);
    else if (/[+\-\d]/.test(next)) this.#parseNumber();
    else if (/[\p{L}\p{Nd}_]/u.test(next)) this.#parseIdentifier();
    else throw new JsonPathError(`unrecognized character in action: ${next}`);
  }

  #parseField(skipped: number): void {
    this.#position += skipped;
    const name = this.#take(NAME, true);
    this.#steps.push(name === '*' ? children : field(name.replaceAll('\\', '')));
  }

  #parseDescent(): void {
    if (this.#steps.at(-1) === descendants) throw new JsonPathError('invalid multiple recursive descent');
    this.#steps.push(descendants);
    this.#position += 2;
    if (/[\p{L}\p{Nd}_]/u.test(this.#text.charAt(this.#position))) this.#parseField(0);
  }

  #parseNumber(): void {
    const text = this.#take(NUMBER);
    const value = Number(text);
    if (!/\d/.test(text) || Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${text}`);
    this.#steps.push(literal(value));
  }

  #parseIdentifier(): void {
    const name = this.#take(IDENTIFIER);
    if (name === 'true' || name === 'false') this.#steps.push(literal(name === 'true'));
    else this.#steps.push(unknownIdentifier(name));
  }

  #parseBrackets(): void {
    const end = this.#text.indexOf(']', this.#position);
    if (end < 0) throw new JsonPathError('unterminated array');
    const inside = this.#text.slice(this.#position + 1, end);
    this.#position = end + 1;
    const alternatives = inside.split(',');
    if (alternatives.length > 1) {
      this.#steps.push(union(alternatives.map((text) => new JsonPathParser(`[${text.trim()}]`).parse())));
      return;
    }
    const key = DICTIONARY_KEY.exec(inside)?.[1];
    // The key is read as a path of its own, so that a dot in it has to be escaped.
    if (key !== undefined) this.#steps.push(new JsonPathParser(`.${key}`).parse());
    else this.#steps.push(sliceOf(inside === '*' ? ':' : inside));
  }

  #parseFilter(): void {
    const { condition, end } = filterText(this.#text, this.#position + 3);
    this.#position = end;
    const [, left, operator, right] = COMPARISON.exec(condition) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      this.#steps.push(filter(new JsonPathParser(condition).parse()));
    } else {
      const to = new JsonPathParser(right).parse();
      this.#steps.push(filter(new JsonPathParser(left).parse(), { operator, to }));
    }
  }

  #take(pattern: RegExp, optional = false): string {
    pattern.lastIndex = this.#position;
    const text = pattern.exec(this.#text)?.[0] ?? '';
    if (text === '' && !optional) throw new JsonPathError('unterminated quoted string');
    this.#position += text.length;
    return text;
  }
}

/** The condition of a filter: what comes before the parenthesis that closes it outside of its one quoted text. */
function filterText(text: string, start: number): { condition: string; end: number } {
  let quote = '';
  let closed = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if ((character === '"' || character === "'") && quote === '') quote = character;
    else if (character === quote && text.charAt(index - 1) !== '\\') closed = true;
    else if (character === ')' && (quote === '' || closed)) {
      if (text.charAt(index + 1) !== ']') throw new JsonPathError('unclosed array expect ]');
      return { condition: text.slice(start, index), end: index + 2 };
    }
  }
  throw new JsonPathError('unterminated filter');
}

function sliceOf(text: string): Step {
  const match = SLICE.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const [, from = '', to, step] = match;
  const start = number(from);
  return slice({
    start: start ?? 0,
    // An index alone is the slice of one item.
    end: to === undefined ? (start ?? 0) + 1 : number(to.slice(1)),
    single: to === undefined,
    step: step === undefined ? undefined : number(step.slice(1)),
  });
}

function number(text: string): number | undefined {
  if (text === '') return undefined;
  if (text === '-') throw new JsonPathError('array index - is not a number');
  return Number(text);
}

function unquoted(text: string): string {
  const known: Readonly<Record<string, string | undefined>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };
  const quote = text.charAt(0);
  return text.slice(1, -1).replace(/\\([^])/g, (_, escaped: string) => {
    const meant = escaped === quote ? quote : known[escaped];
    if (meant === undefined) throw new JsonPathError(`unquote string ${text} error invalid syntax`);
    return meant;
  });
}
