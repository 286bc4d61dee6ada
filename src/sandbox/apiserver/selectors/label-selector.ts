import { badRequest } from '../status.ts';

interface Requirement {
  key: string;
  operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  values: string[];
}

export type LabelMatch = (labels: Record<string, string> | undefined) => boolean;

/** Parses a label selector as in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Throws 400. */
export function parseLabelSelector(text: string): LabelMatch {
  const requirements = new Parser(text).requirements();
  return (labels) => requirements.every((requirement) => matches(requirement, labels ?? {}));
}

function matches({ key, operator, values }: Requirement, labels: Record<string, string>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'gt':
      return value !== undefined && /^-?\d+$/.test(value) && Number(value) > Number(values[0]);
    case 'lt':
      return value !== undefined && /^-?\d+$/.test(value) && Number(value) < Number(values[0]);
  }
}

const TOKEN = /\s*(==|!=|=|!|<|>|\(|\)|,|[^\s=!<>(),]+)/y;
const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

class Parser {
  readonly #tokens: string[] = [];
  #position = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) this.#tokens.push(match[1] ?? '');
  }

  requirements(): Requirement[] {
    const found: Requirement[] = [];
    if (this.#peek() === undefined) return found;
    for (;;) {
      found.push(this.#requirement());
      const separator = this.#next();
      if (separator === undefined) return found;
      if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
      if (!isWord(this.#peek()) && this.#peek() !== '!') {
        throw badRequest(`found '${this.#peek() ?? ''}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    if (this.#peek() === '!') {
      this.#next();
      return { key: this.#key(), operator: '!', values: [] };
    }
    const key = this.#key();
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return { key, operator: 'exists', values: [] };
    this.#next();
    switch (operator) {
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#value()] };
      case '!=':
        return { key, operator: 'notin', values: [this.#value()] };
      case 'in':
      case 'notin':
        return { key, operator, values: this.#list() };
      case '>':
      case '<':
        return { key, operator: operator === '>' ? 'gt' : 'lt', values: [this.#integer()] };
      default:
        throw badRequest(`unable to parse requirement: found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #list(): string[] {
    if (this.#next() !== '(') throw badRequest("unable to parse requirement: found '', expected: '('");
    const values = [this.#value()];
    for (let token = this.#next(); token !== ')'; token = this.#next()) {
      if (token !== ',') throw badRequest(`unable to parse requirement: found '${token ?? ''}', expected: ',' or ')'`);
      values.push(this.#value());
    }
    return values;
  }

  #key(): string {
    const key = this.#next();
    if (!isWord(key) || !LABEL_KEY.test(key))
      throw badRequest(
        `unable to parse requirement: <nil>: Invalid value: "${key ?? ''}": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
      );
    return key;
  }

  #value(): string {
    if (!isWord(this.#peek())) return '';
    const value = this.#next() ?? '';
    if (!LABEL_VALUE.test(value) || value.length > 63)
      throw badRequest(
        `unable to parse requirement: values[0][]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
      );
    return value;
  }

  #integer(): string {
    const value = this.#next() ?? '';
    if (!/^-?\d+$/.test(value))
      throw badRequest(
        `unable to parse requirement: values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    return value;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#position];
  }

  #next(): string | undefined {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}

function isWord(token: string | undefined): token is string {
  return token !== undefined && !/^(==|!=|=|!|<|>|\(|\)|,)$/.test(token);
}
