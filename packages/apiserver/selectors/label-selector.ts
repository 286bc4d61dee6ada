import { nameRules } from '../schema/index.ts';
import { badRequest } from '../status.ts';

type Operator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

interface Requirement {
  key: string;
  operator: Operator;
  /** Sorted, each once. */
  values: readonly string[];
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
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'gt':
      return isInteger(value) && Number(value) > Number(values[0]);
    case 'lt':
      return isInteger(value) && Number(value) < Number(values[0]);
  }
}

function isInteger(value: string | undefined): value is string {
  return value !== undefined && /^[-+]?\d+$/.test(value);
}

const TOKEN = /[ \t\r\n]*(==|!=|=|!|<|>|\(|\)|,|[^ \t\r\n=!<>(),]+)/y;
const OPERATORS: Readonly<Record<string, Operator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

/** apimachinery's parser of label selectors, error for error. A token `''` is the end. */
class Parser {
  readonly #tokens: string[] = [];
  #position = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) this.#tokens.push(match[1] ?? '');
  }

  requirements(): Requirement[] {
    const found: Requirement[] = [];
    if (this.#peek() === '') return found;
    if (!isIdentifier(this.#peek()) && this.#peek() !== '!')
      throw badRequest(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`);
    for (;;) {
      found.push(this.#requirement());
      const separator = this.#next();
      if (separator === '') return found;
      if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
      if (!isIdentifier(this.#peek()) && this.#peek() !== '!')
        throw badRequest(`found '${this.#peek()}', expected: identifier after ','`);
    }
  }

  #requirement(): Requirement {
    const isNegated = this.#peek() === '!';
    if (isNegated) this.#next();
    const key = this.#key();
    if (isNegated) return { key, operator: '!', values: [] };
    if (this.#peek() === '' || this.#peek() === ',') return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#list() : [this.#value()];
    return checked({ key, operator, values: [...new Set(values)].sort() });
  }

  #key(): string {
    const key = this.#next();
    if (!isIdentifier(key)) throw unparsable(`found '${key}', expected: identifier`);
    const problems = nameRules.qualifiedName(key);
    if (problems.length > 0) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`);
    return key;
  }

  #operator(): Operator {
    const token = this.#next();
    const operator = OPERATORS[token];
    if (operator === undefined) throw unparsable(`found '${token}', expected: in, notin, =, ==, !=, gt, lt`);
    return operator;
  }

  #list(): string[] {
    const open = this.#next();
    if (open !== '(') throw unparsable(`found '${open}' expected: '('`);
    const first = this.#peek();
    if (first !== ')' && first !== ',' && !isIdentifier(first))
      throw unparsable(`found '${first}', expected: ',', ')' or identifier`);
    const values: string[] = [];
    // An empty value stands wherever a comma has no identifier beside it, and in `()`.
    let isValueExpected = true;
    for (let token = this.#next(); token !== ')'; token = this.#next()) {
      if (isIdentifier(token) && isValueExpected) values.push(token);
      else if (token !== ',')
        throw unparsable(`found '${token}', expected: ${isValueExpected ? `',', or identifier` : `',' or ')'`}`);
      else if (isValueExpected) values.push('');
      isValueExpected = token === ',';
    }
    return isValueExpected ? [...values, ''] : values;
  }

  #value(): string {
    if (this.#peek() === '' || this.#peek() === ',') return '';
    const token = this.#next();
    if (!isIdentifier(token)) throw unparsable(`found '${token}', expected: identifier`);
    return token;
  }

  #peek(): string {
    return this.#tokens[this.#position] ?? '';
  }

  #next(): string {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}

function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  const wrongNumbers =
    operator === 'gt' || operator === 'lt'
      ? values
          .filter((value) => !isInteger(value))
          .map(
            (value) =>
              `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
          )
      : [];
  const wrongValues = values.flatMap((value, index) => {
    const problems = nameRules.labelValue(value);
    return problems.length === 0
      ? []
      : [`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`];
  });
  const errors = [...wrongNumbers, ...wrongValues];
  if (errors.length > 0) throw unparsable(errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`);
  return requirement;
}

function unparsable(message: string): Error {
  return badRequest(`unable to parse requirement: ${message}`);
}

function isIdentifier(token: string): boolean {
  return token !== '' && !/^(==|!=|=|!|<|>|\(|\)|,)$/.test(token);
}
