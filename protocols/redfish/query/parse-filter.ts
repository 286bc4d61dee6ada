import type { Filter, Operand, Operator } from './filter.ts';
import { badValue } from './query-errors.ts';

/** Maximum nesting of parentheses and `not`. */
const MAX_DEPTH = 20;
const MAX_LENGTH = 2000;
/** Maximum number of comparisons; each is evaluated for each member. */
const MAX_TERMS = 100;

const TOKEN =
  /\s*(?:(?<mark>[()])|(?<text>'(?:[^']|'')*')|(?<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)(?![\w/])|(?<path>[A-Za-z@][\w@.#:-]*(?:\/[A-Za-z@][\w@.#:-]*)*))/y;

type Token = { mark: string } | { literal: null | boolean | number | string } | { path: string };

const OPERATORS: ReadonlySet<string> = new Set<Operator>(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);

/**
 * `Status/Health eq 'OK' and not (TotalCores lt 4)`. Precedence: `not`, comparisons, `and`, `or` (DSP0266 §7.3.4).
 *
 * @throws RedfishError 400
 */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_LENGTH) throw badValue('$filter', text);
  return new FilterParser(text).parse();
}

class FilterParser {
  readonly #text: string;
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;
  #terms = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = this.#tokenize();
  }

  parse(): Filter {
    const filter = this.#or();
    if (this.#next < this.#tokens.length) throw this.#error();
    return filter;
  }

  #tokenize(): Token[] {
    const tokens: Token[] = [];
    const pattern = new RegExp(TOKEN);
    const end = this.#text.trimEnd().length;
    while (pattern.lastIndex < end) {
      const { mark, text, number, path } = pattern.exec(this.#text)?.groups ?? {};
      if (mark !== undefined) tokens.push({ mark });
      else if (text !== undefined) tokens.push({ literal: text.slice(1, -1).replaceAll("''", "'") });
      else if (number !== undefined) tokens.push({ literal: Number(number) });
      else if (path !== undefined) tokens.push(WORDS.get(path) ?? { path });
      else throw this.#error();
    }
    return tokens;
  }

  #or(): Filter {
    let left = this.#and();
    while (this.#takeWord('or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Filter {
    let left = this.#unary();
    while (this.#takeWord('and')) left = { kind: 'and', left, right: this.#unary() };
    return left;
  }

  /** Also the operand of `not`, which covers a whole comparison without parentheses. */
  #unary(): Filter {
    if (++this.#depth > MAX_DEPTH) throw this.#error();
    let filter: Filter;
    if (this.#takeWord('not')) {
      filter = { kind: 'not', operand: this.#unary() };
    } else if (this.#takeMark('(')) {
      filter = this.#or();
      if (!this.#takeMark(')')) throw this.#error();
    } else {
      filter = this.#comparison();
    }
    this.#depth -= 1;
    return filter;
  }

  #comparison(): Filter {
    if (++this.#terms > MAX_TERMS) throw this.#error();
    const left = this.#operand();
    const token = this.#tokens[this.#next];
    if (token !== undefined && 'path' in token && isOperator(token.path)) {
      this.#next += 1;
      return { kind: 'compare', operator: token.path, left, right: this.#operand() };
    }
    if ('value' in left) throw this.#error();
    return { kind: 'holds', path: left.path };
  }

  #operand(): Operand {
    const token = this.#tokens[this.#next++];
    if (token === undefined || 'mark' in token) throw this.#error();
    return 'literal' in token ? { value: token.literal } : { path: token.path.split('/') };
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#next];
    const is = token !== undefined && 'path' in token && token.path === word;
    if (is) this.#next += 1;
    return is;
  }

  #takeMark(mark: string): boolean {
    const token = this.#tokens[this.#next];
    const is = token !== undefined && 'mark' in token && token.mark === mark;
    if (is) this.#next += 1;
    return is;
  }

  #error(): Error {
    return badValue('$filter', this.#text);
  }
}

const WORDS: ReadonlyMap<string, Token> = new Map<string, Token>([
  ['true', { literal: true }],
  ['false', { literal: false }],
  ['null', { literal: null }],
]);

function isOperator(word: string): word is Operator {
  return OPERATORS.has(word);
}
