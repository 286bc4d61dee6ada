import type { Schema } from '../schema/index.ts';

/** A path that a schema knows, in the form of error messages, and the schema at its end. */
export interface FoundPath {
  path: string;
  schema: Schema;
}

/**
 * Follows a path such as `.spec.limits['a.b']`, of rules (`fieldPath`) and selectable fields. Throws Error with what is
 * wrong with it.
 */
export function followFieldPath(text: string, schema: Schema, allowBrackets = true): FoundPath {
  let here = schema;
  let path = '';
  const tokens = tokensOf(text);
  const next = (): string => {
    const token = tokens.shift();
    if (token === undefined) throw new Error('unexpected end of JSON path');
    return token;
  };
  while (tokens.length > 0) {
    const token = next();
    if (token !== '.' && token !== '[') throw new Error(`expected [ or . but got: ${token}`);
    if (token === '[' && !allowBrackets) throw new Error('array notation is not allowed');
    const name = token === '.' ? next() : literal(next());
    if (here.properties !== undefined) {
      const property = Object.hasOwn(here.properties, name) ? here.properties[name] : undefined;
      if (property === undefined) throw new Error('does not refer to a valid field');
      here = property;
      path += path === '' ? name : `.${name}`;
    } else if (typeof here.additionalProperties === 'object') {
      here = here.additionalProperties;
      path += `[${name}]`;
    } else {
      throw new Error('does not refer to a valid field');
    }
    if (token === '[') {
      const end = next();
      if (end !== ']') throw new Error(`expected ] but got ${end}`);
    }
  }
  return { path, schema: here };
}

function tokensOf(text: string): string[] {
  return text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/g) ?? [];
}

function literal(token: string): string {
  if (!/^'.*'$/s.test(token)) throw new Error(`expected single quoted string but got ${token}`);
  return token.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => {
    const escapes: Record<string, string> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
    if (letter === "'" || letter === '\\') return letter;
    const character = escapes[letter];
    if (character === undefined) throw new Error(`invalid string literal: invalid escape char \\${letter}`);
    return character;
  });
}
