import { isObject, type Json } from '../json.ts';

/** A path that cannot be read, or cannot be followed in a value. */
export class JsonPathError extends Error {}

/** From the values found so far to those found next. */
export type Step = (values: Json[]) => Json[];

export function literal(value: Json): Step {
  return (values) => values.map(() => value);
}

export function unknownIdentifier(name: string): Step {
  return () => {
    throw new JsonPathError(`unrecognized identifier ${name}`);
  };
}

/** A missing key is no error. */
export function field(name: string): Step {
  return (values) =>
    values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name] ?? null] : []));
}

export const children: Step = (values) => values.flatMap(partsOf);

/** What has parts, at any depth. */
export const descendants: Step = (values) =>
  values.flatMap((value) => {
    const parts = partsOf(value);
    return parts.length === 0 ? [] : [value, ...descendants(parts)];
  });

/** Go takes a text for the bytes of it. */
function partsOf(value: Json): Json[] {
  if (typeof value === 'string') return [...Buffer.from(value)];
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value).map((part) => part ?? null) : [];
}

export function union(alternatives: readonly Step[]): Step {
  return (values) => alternatives.flatMap((step) => step(values));
}

interface Slice {
  readonly start: number;
  readonly end: number | undefined;
  /** Given as one index. */
  readonly single: boolean;
  readonly step: number | undefined;
}

export function slice(wanted: Slice): Step {
  return (values) => {
    const found: Json[] = [];
    for (const value of values) {
      if (value === null) continue;
      if (!Array.isArray(value)) throw new JsonPathError('not array or slice');
      const { start, end } = boundsIn(value.length, wanted);
      // Go leaves the rest of the values as well.
      if (start === end) return found;
      if (start >= value.length || start < 0 || end > value.length || end < 0)
        throw new JsonPathError('array index out of bounds');
      if (start > end) throw new JsonPathError('starting index is greater than ending index');
      const step = wanted.step ?? 1;
      if (step <= 0) throw new JsonPathError('step must be > 0');
      found.push(...value.slice(start, end).filter((_, index) => index % step === 0));
    }
    return found;
  };
}

function boundsIn(length: number, { start, end, single }: Slice): { start: number; end: number } {
  const last = end ?? length;
  return {
    start: start < 0 ? start + length : start,
    end: last < 0 || (last === 0 && single) ? last + length : last,
  };
}

interface Comparison {
  readonly operator: string;
  readonly to: Step;
}

/** The items for which `left` compares so, or where nothing is compared those in which it finds something. */
export function filter(left: Step, comparison?: Comparison): Step {
  const passes = (item: Json): boolean => {
    if (comparison === undefined) return exists(left, item);
    const [found] = one(left([item]));
    if (found === undefined) return false;
    const [wanted] = one(comparison.to([item]));
    return wanted !== undefined && compare(found, comparison.operator, wanted);
  };
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new JsonPathError('not array or slice and cannot be filtered');
      return value.filter(passes);
    });
}

/** What cannot be followed counts as found. */
function exists(step: Step, item: Json): boolean {
  try {
    return step([item]).length > 0;
  } catch (error) {
    if (error instanceof JsonPathError) return true;
    throw error;
  }
}

function one(found: Json[]): Json[] {
  if (found.length > 1) throw new JsonPathError('can only compare one element at a time');
  return found;
}

function compare(left: Json, operator: string, right: Json): boolean {
  if (kindOf(left) !== kindOf(right)) throw new JsonPathError('incompatible types for comparison');
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return isLess(left, right);
    case '>':
      return isLess(right, left);
    case '<=':
      return !isLess(right, left);
    case '>=':
      return !isLess(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function isLess(left: Json, right: Json): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'string' && typeof right === 'string') return left < right;
  throw new JsonPathError('invalid type for comparison');
}

/** Go does not compare a whole number with one that is not. */
function kindOf(value: Json): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  throw new JsonPathError('invalid type for comparison');
}
