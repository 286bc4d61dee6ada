import { isObject, type Json } from '../json.ts';
import type { FieldError } from '../status.ts';
import { CelError, compileExpression, toCel, type Expression } from './cel.ts';
import { correspondingItem, type Correlation } from './correlation.ts';
import { fieldErrors } from './field-errors.ts';
import { fieldPath, propertyOf, type Schema, type ValidationRule } from './schema.ts';

const VARIABLES = ['self', 'oldSelf'];
const MAX_MESSAGE_BYTES = 5 * 1024;

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly holds: Expression;
  readonly message?: Expression;
}

const compiledRules = new WeakMap<Schema, CompiledRule[]>();
const withRules = new WeakMap<Schema, boolean>();

/** Compiles a rule of `x-kubernetes-validations`. Throws CelError. */
export function compileRule(rule: ValidationRule): CompiledRule {
  const holds = compileExpression(rule.rule, VARIABLES, 'bool');
  if (rule.messageExpression === undefined || rule.messageExpression === '') return { rule, holds };
  return { rule, holds, message: compileExpression(rule.messageExpression, VARIABLES, 'string') };
}

/**
 * The errors of the rules that `value` violates.
 *
 * @param previous undefined for a create; rules that use `oldSelf` then do not apply
 * @param correlation drops the errors of unchanged values
 */
export function ruleErrors(
  value: Json | undefined,
  previous: Json | undefined,
  schema: Schema,
  correlation?: Correlation,
  path = '',
): FieldError[] {
  const errors: FieldError[] = [];
  visit({ value, previous, schema, path, correlation, ancestor: undefined }, errors);
  return errors;
}

interface Node {
  readonly value: Json | undefined;
  readonly previous: Json | undefined;
  readonly schema: Schema;
  readonly path: string;
  /** Undefined if the value has no previous value. */
  readonly correlation: Correlation | undefined;
  /** The nearest correlation above. */
  readonly ancestor: Correlation | undefined;
}

function visit(node: Node, errors: FieldError[]): void {
  const { value, schema } = node;
  if (value === undefined || value === null || !hasRules(schema)) return;
  if (schema['x-kubernetes-validations'] !== undefined) {
    const self = toCel(value, schema);
    const oldSelf = node.previous === undefined || node.previous === null ? undefined : toCel(node.previous, schema);
    for (const compiled of rulesOf(schema)) {
      const error = errorOf(compiled, { self, ...(oldSelf === undefined ? {} : { oldSelf }) }, node);
      if (error !== undefined) errors.push(error);
    }
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return;
    value.forEach((item, index) => {
      const previous = correspondingItem(item, node.previous, schema);
      visit(below(node, item, previous, items, `${node.path}[${index}]`, index), errors);
    });
  } else if (isObject(value)) {
    const before = isObject(node.previous) ? node.previous : undefined;
    for (const key of Object.keys(value)) {
      const property = propertyOf(schema, key);
      if (property === undefined) continue;
      const isNamed = Object.hasOwn(schema.properties ?? {}, key);
      const path = isNamed ? fieldPath(node.path, key) : `${node.path}[${key}]`;
      visit(below(node, value[key], before?.[key], property, path, key), errors);
    }
  }
}

function below(
  node: Node,
  value: Json | undefined,
  previous: Json | undefined,
  schema: Schema,
  path: string,
  step: string | number,
): Node {
  const next = { value, previous, schema, path };
  const { correlation } = node;
  if (correlation === undefined) return { ...next, correlation, ancestor: node.ancestor };
  const child = typeof step === 'number' ? correlation.index(step) : correlation.key(step);
  return { ...next, correlation: child, ancestor: correlation };
}

function errorOf(
  compiled: CompiledRule,
  variables: Parameters<Expression>[0],
  { schema, path, correlation, ancestor }: Node,
): FieldError | undefined {
  const { rule, holds } = compiled;
  const usesOldSelf = holds.names.has('oldSelf');
  if (usesOldSelf && variables['oldSelf'] === undefined) return undefined;
  const type = schema.type ?? '';
  try {
    if (holds(variables) === true) return undefined;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return fieldErrors.invalid(path, type, `${error.message} evaluating rule: ${nameOf(rule)}`);
  }
  if (!usesOldSelf && (correlation ?? ancestor)?.isUnchanged === true) return undefined;
  const field = `${path}${rule.fieldPath === undefined ? '' : `.${normalised(rule.fieldPath)}`}`.replace(/^\./, '');
  return broken(field, type, messageOf(compiled, variables), rule.reason);
}

function rulesOf(schema: Schema): CompiledRule[] {
  const known = compiledRules.get(schema);
  if (known !== undefined) return known;
  const compiled = (schema['x-kubernetes-validations'] ?? []).map(compileRule);
  compiledRules.set(schema, compiled);
  return compiled;
}

/** Whether the schema or a part of it has rules; parts without rules are not visited. */
function hasRules(schema: Schema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, additionalProperties, items } = schema;
  const found =
    schema['x-kubernetes-validations'] !== undefined ||
    Object.values(properties).some(hasRules) ||
    (typeof additionalProperties === 'object' && hasRules(additionalProperties)) ||
    (items !== undefined && hasRules(items));
  withRules.set(schema, found);
  return found;
}

/** The message of a violated rule. Uses the fixed message if messageExpression fails or is not a single, short line. */
function messageOf({ rule, message }: CompiledRule, variables: Parameters<Expression>[0]): string {
  const fixed =
    rule.message === undefined || rule.message === '' ? `failed rule: ${nameOf(rule)}` : rule.message.trim();
  if (message === undefined) return fixed;
  try {
    const value = message(variables);
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? fixed : text;
  } catch (error) {
    if (error instanceof CelError) return fixed;
    throw error;
  }
}

function nameOf({ message = '', rule }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

/** `fieldPath` in the syntax of error messages. */
function normalised(path: string): string {
  return path
    .replace(/^\./, '')
    .replace(/\['((?:[^'\\]|\\.)*)'\]/g, (_, key: string) => `[${key.replace(/\\(.)/g, '$1')}]`);
}

function broken(field: string, type: string, message: string, reason: string | undefined): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return fieldErrors.forbidden(field, message);
    case 'FieldValueRequired':
      return fieldErrors.required(field, message);
    case 'FieldValueDuplicate':
      return fieldErrors.duplicate(field, type);
    default:
      return fieldErrors.invalid(field, type, message);
  }
}
