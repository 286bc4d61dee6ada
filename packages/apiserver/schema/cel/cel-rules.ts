import type { ASTNode } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../../json.ts';
import type { FieldError } from '../../status.ts';
import { correspondingItem, type Correlation } from '../correlation.ts';
import { fieldErrors } from '../field-errors.ts';
import { fieldPath, propertyOf, type Schema, type ValidationRule } from '../schema.ts';
import { compileExpression } from './compile-expression.ts';
import { declaredType, withTypeAndNames } from './declared-type.ts';
import { toCel } from './schema-values.ts';
import { ValueScope, type Expression } from './scope.ts';
import { optionalOf, type CelType } from './types.ts';
import { CelError, OptionalValue, type CelValue } from './values.ts';

const MAX_MESSAGE_BYTES = 5 * 1024;

/** A rule, or what keeps it from being one. */
export interface CompiledRule {
  readonly usesOldSelf: boolean;
  readonly expression?: Expression;
  readonly message?: Expression;
  /** What is wrong with the rule. */
  readonly problem?: string;
  /** What is wrong with its `messageExpression`. */
  readonly messageProblem?: string;
}

type Parse = (text: string) => ASTNode;

/** Compiles and evaluates the rules of `x-kubernetes-validations`. */
export class CelRules {
  readonly #parse: Parse;
  readonly #compiled = new WeakMap<Schema, CompiledRule[]>();
  readonly #withRules = new WeakMap<Schema, boolean>();

  private constructor(parse: Parse) {
    this.#parse = parse;
  }

  static async load(): Promise<CelRules> {
    const { Environment } = await import('@marcbachmann/cel-js');
    const environment = new Environment({ enableOptionalTypes: true });
    return new CelRules((text) => environment.parse(text).ast);
  }

  /**
   * The rules of a schema, without those of its parts; undefined where rules cannot see its values. `isResource`: the root
   * of an object.
   */
  compile(schema: Schema, isResource: boolean): CompiledRule[] | undefined {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const type = declaredType(schema, isResource);
    if (type === undefined) return undefined;
    const compiled = (schema['x-kubernetes-validations'] ?? []).map((rule) => this.#compileRule(rule, type));
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  /**
   * The rules that `value` breaks. `previous` is undefined for a create: rules about `oldSelf` then do not apply.
   * `correlation`: errors of what has not changed are dropped.
   */
  check(
    value: Json | undefined,
    previous: Json | undefined,
    schema: Schema,
    correlation?: Correlation,
    path = '',
  ): FieldError[] {
    const errors: FieldError[] = [];
    const isRoot = path === '';
    this.#visit({ value, previous, schema, path, isRoot, correlation, ancestor: undefined }, errors);
    return errors;
  }

  #visit(node: Node, errors: FieldError[]): void {
    const { value, schema } = node;
    if (value === undefined || value === null || !this.#hasRules(schema)) return;
    if (schema['x-kubernetes-validations'] !== undefined) this.#apply(node, errors);
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined || !this.#hasRules(items)) return;
      value.forEach((item, index) => {
        const previous = correspondingItem(item, node.previous, schema);
        this.#visit(below(node, item, previous, items, `${node.path}[${index}]`, index), errors);
      });
    } else if (isObject(value)) {
      const before = isObject(node.previous) ? node.previous : undefined;
      for (const key of Object.keys(value)) {
        const property = propertyOf(schema, key);
        if (property === undefined) continue;
        const isNamed = Object.hasOwn(schema.properties ?? {}, key);
        const path = isNamed ? fieldPath(node.path, key) : `${node.path}[${key}]`;
        this.#visit(below(node, value[key], before?.[key], property, path, key), errors);
      }
    }
  }

  #apply(node: Node, errors: FieldError[]): void {
    const { schema, isRoot } = node;
    const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
    const seen = isResource ? withTypeAndNames(schema) : schema;
    this.compile(schema, isResource)?.forEach((compiled, index) => {
      const rule = schema['x-kubernetes-validations']?.[index];
      if (rule !== undefined) this.#applyRule(rule, compiled, seen, node, errors);
    });
  }

  #applyRule(rule: ValidationRule, compiled: CompiledRule, seen: Schema, node: Node, errors: FieldError[]): void {
    const { value, path, schema } = node;
    const previous = node.previous ?? undefined;
    const { expression, usesOldSelf } = compiled;
    if (expression === undefined) return;
    if (usesOldSelf && previous === undefined && rule.optionalOldSelf !== true) return;
    const type = schema.type ?? '';
    try {
      const scope = new ValueScope({
        self: toCel(value, seen),
        ...(usesOldSelf ? { oldSelf: oldSelf(rule, previous, seen) } : {}),
      });
      if (expression.evaluate(scope) === true) return;
      if (!usesOldSelf && isUnchanged(node)) return;
      const field = `${path}${rule.fieldPath === undefined ? '' : `.${normalised(rule.fieldPath)}`}`.replace(/^\./, '');
      errors.push(broken(field, type, messageOf(rule, compiled, scope), rule.reason));
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      const shown = nameOf(rule);
      const detail = error.message.startsWith('no such overload')
        ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
        : `${error.message} evaluating rule: ${shown}`;
      errors.push(fieldErrors.invalid(path, type, detail));
    }
  }

  #compileRule(rule: ValidationRule, type: CelType): CompiledRule {
    if (rule.rule.trim() === '') return { usesOldSelf: false };
    const variables = { self: type, oldSelf: rule.optionalOldSelf === true ? optionalOf(type) : type };
    const { expression, problem, programProblem, names } = compileExpression(rule.rule, variables, this.#parse);
    if (problem !== undefined) return { usesOldSelf: false, problem: `compilation failed: ${problem}` };
    if (programProblem !== undefined)
      return { usesOldSelf: names.has('oldSelf'), problem: `program instantiation failed: ${programProblem}` };
    if (expression?.type.kind !== 'bool')
      return { usesOldSelf: false, problem: 'cel expression must evaluate to a bool' };
    const usesOldSelf = names.has('oldSelf');
    const { messageExpression: text } = rule;
    if (text === undefined || text === '') return { usesOldSelf, expression };
    const message = compileExpression(text, variables, this.#parse);
    if (message.problem !== undefined)
      return { usesOldSelf, expression, messageProblem: `messageExpression compilation failed: ${message.problem}` };
    if (message.programProblem !== undefined)
      return {
        usesOldSelf,
        expression,
        messageProblem: `messageExpression instantiation failed: ${message.programProblem}`,
      };
    if (message.expression?.type.kind !== 'string')
      return { usesOldSelf, expression, messageProblem: 'messageExpression must evaluate to a string' };
    return { usesOldSelf, expression, message: message.expression };
  }

  /** Whether the schema or something in it has rules: most subtrees have none and need no walk. */
  #hasRules(schema: Schema): boolean {
    const known = this.#withRules.get(schema);
    if (known !== undefined) return known;
    const { properties = {}, additionalProperties, items } = schema;
    const found =
      schema['x-kubernetes-validations'] !== undefined ||
      Object.values(properties).some((property) => this.#hasRules(property)) ||
      (typeof additionalProperties === 'object' && this.#hasRules(additionalProperties)) ||
      (items !== undefined && this.#hasRules(items));
    this.#withRules.set(schema, found);
    return found;
  }
}

interface Node {
  readonly value: Json | undefined;
  readonly previous: Json | undefined;
  readonly schema: Schema;
  readonly path: string;
  readonly isRoot: boolean;
  /** Undefined where what the value was cannot be told. */
  readonly correlation: Correlation | undefined;
  /** The nearest that could be told. */
  readonly ancestor: Correlation | undefined;
}

function below(
  node: Node,
  value: Json | undefined,
  previous: Json | undefined,
  schema: Schema,
  path: string,
  step: string | number,
): Node {
  const next = { value, previous, schema, path, isRoot: false };
  const { correlation } = node;
  if (correlation === undefined) return { ...next, correlation, ancestor: node.ancestor };
  const child = typeof step === 'number' ? correlation.index(step) : correlation.key(step);
  return { ...next, correlation: child, ancestor: correlation };
}

function isUnchanged({ correlation, ancestor }: Node): boolean {
  return (correlation ?? ancestor)?.isUnchanged === true;
}

function oldSelf(rule: ValidationRule, previous: Json | undefined, schema: Schema): CelValue | undefined {
  if (rule.optionalOldSelf !== true) return toCel(previous, schema);
  return previous === undefined ? OptionalValue.none : new OptionalValue(toCel(previous, schema));
}

/** The message of a rule that is broken; one that cannot be made, or has no good form, gives way to the fixed one. */
function messageOf(rule: ValidationRule, { message }: CompiledRule, scope: ValueScope): string {
  const fixed =
    rule.message === undefined || rule.message === '' ? `failed rule: ${nameOf(rule)}` : rule.message.trim();
  if (message === undefined) return fixed;
  try {
    const value = message.evaluate(scope);
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

/** `fieldPath` in the form of error messages. */
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
