import type { Expression } from './scope.ts';
import { BOOL, BYTES, DOUBLE, INT, NULL, STRING, UINT, type CelType } from './types.ts';
import { CelError, TypeValue, UintValue, type CelValue } from './values.ts';

export function literal(node: unknown): Expression {
  const value = literalValue(node);
  return { type: typeOf(value), evaluate: () => value };
}

/** What the parser read. */
export function literalValue(value: unknown): CelValue {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  // What is left is the parser's own class of unsigned numbers.
  return value instanceof Uint8Array ? Buffer.from(value) : new UintValue((value as { valueOf(): bigint }).valueOf());
}

function typeOf(value: CelValue): CelType {
  if (value === null) return NULL;
  if (typeof value === 'string') return STRING;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return DOUBLE;
  if (typeof value === 'boolean') return BOOL;
  return Buffer.isBuffer(value) ? BYTES : UINT;
}

export function variable(name: string, type: CelType): Expression {
  return {
    type,
    evaluate: (scope) => {
      const value = scope.find(name);
      if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
      return value;
    },
  };
}

export function typeExpression(name: string, of: CelType): Expression {
  return { type: { kind: 'type', of }, evaluate: () => new TypeValue(name) };
}
