import type { Json, JsonObject } from '../json.ts';

/** An expression over the properties of a member (DSP0266 §7.3.4). */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly operand: Filter }
  | { readonly kind: 'compare'; readonly operator: Operator; readonly left: Operand; readonly right: Operand }
  /** A property without operator: matches if it is true. */
  | { readonly kind: 'holds'; readonly path: readonly string[] };

export type Operator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
export type Operand = { readonly path: readonly string[] } | { readonly value: Scalar };
export type Scalar = null | boolean | number | string;

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

function isList(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
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
