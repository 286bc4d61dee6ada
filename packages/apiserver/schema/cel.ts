import { isIPv4, isIPv6 } from 'node:net';
import { Environment, EvaluationError, ParseError, TypeError, type ASTNode } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../json.ts';
import { compilePattern } from './patterns.ts';
import { propertyOf, type Schema } from './schema.ts';

/** A CEL value: integers are bigints, objects are Maps. */
export type CelValue = null | boolean | string | number | bigint | CelValue[] | Map<string, CelValue>;

/** Evaluates an expression with the values of its variables. Throws CelError. */
export interface Expression {
  (variables: Readonly<Record<string, CelValue>>): unknown;
  /** The identifiers in the expression. */
  readonly names: ReadonlySet<string>;
}

/** An expression cannot be compiled or evaluated. */
export class CelError extends Error {}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const environments = new Map<string, Environment>();

/**
 * Compiles a CEL expression. The variables have the type `dyn`.
 *
 * @param result the required type of the expression
 * @throws CelError
 */
export function compileExpression(text: string, variables: readonly string[], result: 'bool' | 'string'): Expression {
  const parsed = orCelError(() => environmentOf(variables).parse(text));
  const names = new Set<string>();
  prepare(parsed.ast, names);
  const { valid, type, error } = parsed.check();
  if (!valid) throw new CelError(error === undefined ? 'invalid expression' : summaryOf(error));
  if (type !== result && type !== 'dyn') throw new CelError(`must evaluate to ${result} but got ${type ?? 'nothing'}`);
  return Object.assign((values: Readonly<Record<string, CelValue>>) => orCelError<unknown>(() => parsed(values)), {
    names,
  });
}

function environmentOf(variables: readonly string[]): Environment {
  const key = variables.join();
  const known = environments.get(key);
  if (known !== undefined) return known;
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerFunction('isIP(string): bool', isIP)
    .registerFunction('string.matchesRe2(string): bool', matches);
  for (const variable of variables) environment.registerVariable(variable, 'dyn');
  environments.set(key, environment);
  return environment;
}

/** Refuses zones and IPv4-mapped IPv6 addresses, as Kubernetes does. */
function isIP(text: string): boolean {
  if (isIPv4(text)) return true;
  if (!isIPv6(text) || text.includes('%')) return false;
  const canonical = new URL(`http://[${text}]`).hostname;
  return !/^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(canonical);
}

function matches(text: string, pattern: string): boolean {
  try {
    return compilePattern(pattern).test(text);
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error));
  }
}

/** Collects the names of variables, and replaces `matches`: that of the library uses JavaScript's patterns, not RE2. */
function prepare(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) {
    for (const part of node) prepare(part, names);
  } else if (isNode(node)) {
    if (node.op === 'id' && typeof node.args === 'string') names.add(node.args);
    if (node.op === 'rcall' && Array.isArray(node.args) && node.args[0] === 'matches') node.args[0] = 'matchesRe2';
    prepare(node.args, names);
  }
}

function isNode(node: unknown): node is ASTNode {
  return typeof node === 'object' && node !== null && 'op' in node && 'args' in node;
}

function orCelError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ParseError || error instanceof EvaluationError || error instanceof TypeError)
      throw new CelError(summaryOf(error), { cause: error });
    throw error;
  }
}

function summaryOf(error: Error): string {
  const { message } = error;
  return 'summary' in error && typeof error.summary === 'string' ? error.summary : message;
}

/** Converts JSON to CEL values. Without a schema, whole numbers are integers. */
export function toCel(value: Json | undefined, schema?: Schema): CelValue {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && schema?.type !== 'number' ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items));
  if (!isObject(value)) return value ?? null;
  const fields = new Map<string, CelValue>();
  for (const [key, part] of Object.entries(value)) {
    const isNamed = schema?.properties !== undefined;
    // A field that is null counts as absent.
    if (part === undefined || (isNamed && part === null)) continue;
    fields.set(isNamed ? escapeField(key) : key, toCel(part, propertyOf(schema, key)));
  }
  return fields;
}

/** The escaped name of a field in expressions. */
function escapeField(key: string): string {
  return RESERVED.has(key) ? `__${key}__` : key.replace(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}
