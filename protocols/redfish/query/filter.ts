import { type Json, type JsonObject, isList } from '../json.ts';
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

/** An expression over the properties of a member (DSP0266 §7.3.4). */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly operand: Filter }
  | { readonly kind: 'compare'; readonly operator: Operator; readonly left: Operand; readonly right: Operand }
  /** A property without operator: matches if it is true. */
  | { readonly kind: 'holds'; readonly path: readonly string[] };

type Operator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
type Operand = { readonly path: readonly string[] } | { readonly value: Scalar };
type Scalar = null | boolean | number | string;

/** Whether an expression matches a member. A missing property counts as null. */
export function matches(filter: Filter, member: JsonObject): boolean {
  switch (filter.kind) {
    case 'and':
      return matches(filter.left, member) && matches(filter.right, member);
    case 'or':
      return matches(filter.left, member) || matches(filter.right, member);
    case 'not':
      return !matches(filter.operand, member);
    case 'holds':
      return values(filter.path, member).includes(true);
    case 'compare':
      return compare(filter.operator, resolve(filter.left, member), resolve(filter.right, member));
  }
}

function resolve(operand: Operand, member: JsonObject): readonly Json[] {
  return 'value' in operand ? [operand.value] : values(operand.path, member);
}

/** The values at a path; each element of an array counts. */
function values(path: readonly string[], at: Json | undefined): readonly Json[] {
  if (isList(at)) return at.flatMap((element) => values(path, element));
  const [name, ...below] = path;
  if (name === undefined) return [at ?? null];
  if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return [null];
  return values(below, at[name]);
}

/** `ne` is the negation of `eq`; for all other operators one matching pair is sufficient. */
function compare(operator: Operator, left: readonly Json[], right: readonly Json[]): boolean {
  if (operator === 'ne') return !compare('eq', left, right);
  return left.some((a) => right.some((b) => holds(operator, a, b)));
}

/** Values of different types are neither equal nor ordered. */
function holds(operator: Exclude<Operator, 'ne'>, a: Json, b: Json): boolean {
  if (operator === 'eq') return a === b;
  if (!((typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string'))) {
    return false;
  }
  if (operator === 'gt') return a > b;
  if (operator === 'ge') return a >= b;
  return operator === 'lt' ? a < b : a <= b;
}
