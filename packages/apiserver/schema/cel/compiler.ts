import type { ASTNode } from '@marcbachmann/cel-js';
import { fieldOf, itemOf, optionalField, optionalIndex } from './access.ts';
import { dispatch, shortCircuit } from './calls.ts';
import { literal, typeExpression, variable } from './constants.ts';
import { isReserved } from './declared-type.ts';
import { FUNCTIONS, type Overload } from './functions/index.ts';
import type { Issues } from './issues.ts';
import { literalProblems } from './literals.ts';
import { expandMacro } from './macros.ts';
import { MISSING_FUNCTIONS } from './missing.ts';
import { positionOf, qualifiedName } from './nodes.ts';
import type { Expression, TypeScope } from './scope.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  typeText,
  UINT,
  unwrapOptional,
  type CelType,
} from './types.ts';
import { mostGeneral, Unification } from './unification.ts';
import { CelError, noSuchOverload, OptionalValue, PlainList, PlainMap } from './values.ts';

/** Types that a rule can name. */
const TYPE_NAMES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  null_type: NULL,
  type: { kind: 'type' },
  'google.protobuf.Timestamp': { kind: 'timestamp' },
  'google.protobuf.Duration': { kind: 'duration' },
};

/** Checks a parsed expression as cel-go's checker does, and makes it one that can be evaluated. */
export class Compiler {
  readonly unification = new Unification();
  readonly #issues: Issues;
  readonly #text: string;
  readonly #late: { message: string; offset: number }[] = [];
  readonly #types = new Map<ASTNode, CelType>();
  #isFormatting = false;

  constructor(text: string, issues: Issues) {
    this.#text = text;
    this.#issues = issues;
  }

  compile(node: ASTNode, scope: TypeScope): Expression {
    const expression = this.#compile(node, scope);
    this.#types.set(node, expression.type);
    return expression;
  }

  #compile(node: ASTNode, scope: TypeScope): Expression {
    switch (node.op) {
      case 'value':
        return literal(node.args);
      case 'id':
        return this.#identifier(node.args, node, scope);
      case '.':
        return this.#select(node, scope);
      case '.?':
        return this.#optionalSelect(node, scope);
      case '[]':
        return this.#index(node, scope, '_[_]');
      case '[?]':
        return this.#index(node, scope, '_[?_]');
      case 'call':
        return this.#function(node, scope);
      case 'rcall':
        return this.#method(node, scope);
      case 'list':
        return this.#list(node.args, scope);
      case 'map':
        return this.#map(node.args, scope);
      case '?:':
        return this.#conditional(node, scope);
      case '&&':
      case '||':
        return this.#logical(node, scope);
      case '!_':
      case '-_':
        return this.#resolve(node.op, [this.compile(node.args, scope)], node.start, false);
      default:
        return this.#binary(node, scope);
    }
  }

  /** Says that the types are not what they have to be; the expression goes on as one of no type. */
  mismatch(expected: CelType, actual: CelType, node: ASTNode): void {
    this.fail(`expected type '${this.#typeText(expected)}' but found '${this.#typeText(actual)}'`, positionOf(node));
  }

  fail(message: string, offset: number): Expression {
    this.#issues.add(offset, message);
    return {
      type: ERROR,
      evaluate: () => {
        throw new CelError(message);
      },
    };
  }

  noOverload(name: string, types: readonly CelType[], offset: number, isMember = false): Expression {
    const [target, ...rest] = types.map((type) => this.#typeText(this.unification.substitute(type, true)));
    const signature = isMember ? `${target ?? ''}.(${rest.join(', ')})` : `(${[target, ...rest].join(', ')})`;
    return this.fail(
      `found no matching overload for '${name}' applied to '${types.length === 0 ? '()' : signature}'`,
      offset,
    );
  }

  #typeText(type: CelType): string {
    return typeText(this.unification.substitute(type));
  }

  #identifier(name: string, node: ASTNode, scope: TypeScope): Expression {
    const type = scope.find(name);
    if (type !== undefined) return variable(name, type);
    const named = Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : undefined;
    if (named !== undefined) return typeExpression(name, named);
    return this.fail(`undeclared reference to '${name}' (in container '')`, node.start);
  }

  #select(node: ASTNode & { op: '.' }, scope: TypeScope): Expression {
    const name = qualifiedName(node);
    const named = name !== undefined && Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : undefined;
    if (name !== undefined && named !== undefined) return typeExpression(name, named);
    const [operandNode, field] = node.args;
    const operand = this.compile(operandNode, scope);
    const type = this.fieldType(operand.type, field, positionOf(node));
    return {
      type,
      evaluate: (values) => {
        const value = operand.evaluate(values);
        if (value instanceof OptionalValue) return optionalField(value, field);
        const found = fieldOf(value, field);
        if (found === undefined) throw new CelError(`no such key: ${field}`);
        return found;
      },
    };
  }

  #optionalSelect(node: ASTNode & { op: '.?' }, scope: TypeScope): Expression {
    const [operandNode, field] = node.args;
    const operand = this.compile(operandNode, scope);
    const type = this.fieldType(operand.type, field, positionOf(node));
    return {
      type: unwrapOptional(type) === undefined ? optionalOf(type) : type,
      evaluate: (values) => {
        const value = operand.evaluate(values);
        return optionalField(value instanceof OptionalValue ? value : new OptionalValue(value), field);
      },
    };
  }

  /** The type of an operand's field; optional where the operand is. */
  fieldType(operand: CelType, field: string, offset: number): CelType {
    const type = this.unification.substitute(operand);
    const inner = unwrapOptional(type);
    if (inner !== undefined) return optionalOf(this.fieldType(inner, field, offset));
    switch (type.kind) {
      case 'map':
        return type.value;
      case 'object': {
        // Reserved words need not be escaped after a dot.
        const found = type.fields.get(field) ?? (isReserved(field) ? type.fields.get(`__${field}__`) : undefined);
        return found ?? this.fail(`undefined field '${field}'`, offset).type;
      }
      case 'param':
        this.unification.assign(DYN, type);
        return DYN;
      case 'dyn':
      case 'error':
        return DYN;
      default:
        this.fail(`type '${typeText(type)}' does not support field selection`, offset);
        return DYN;
    }
  }

  #index(node: ASTNode & { op: '[]' | '[?]' }, scope: TypeScope, name: string): Expression {
    const [operand, key] = node.args.map((part) => this.compile(part, scope)) as [Expression, Expression]; // two operands
    const isOptional = name === '_[?_]';
    const [item, keyType] = [this.unification.fresh(), this.unification.fresh()];
    const inner = unwrapOptional(this.unification.substitute(operand.type));
    const container = inner ?? operand.type;
    let type: CelType | undefined;
    if (this.unification.assignAll([container, key.type], [listOf(item), INT])) type = item;
    else if (this.unification.assignAll([container, key.type], [mapOf(keyType, item), keyType])) type = item;
    if (type === undefined) return this.noOverload(name, [operand.type, key.type], positionOf(node));
    const isWild = container.kind === 'dyn';
    type = isWild ? DYN : this.unification.substitute(type);
    return {
      type: inner !== undefined || isOptional ? optionalOf(type) : type,
      evaluate: (values) => {
        const value = operand.evaluate(values);
        const at = key.evaluate(values);
        if (value instanceof OptionalValue) return optionalIndex(value, at);
        return isOptional ? optionalIndex(new OptionalValue(value), at) : itemOf(value, at);
      },
    };
  }

  #function(node: ASTNode & { op: 'call' }, scope: TypeScope): Expression {
    const [name, argumentNodes] = node.args;
    const macro = expandMacro(this, node, name, undefined, argumentNodes, scope);
    if (macro !== undefined) return macro;
    const values = argumentNodes.map((argument) => this.compile(argument, scope));
    return this.#resolve(name, values, this.#parenthesis(node.start), false);
  }

  #method(node: ASTNode & { op: 'rcall' }, scope: TypeScope): Expression {
    const [name, targetNode, argumentNodes] = node.args;
    const macro = expandMacro(this, node, name, targetNode, argumentNodes, scope);
    if (macro !== undefined) return macro;
    const offset = this.#parenthesis(targetNode.end);
    const wasFormatting = this.#isFormatting;
    this.#isFormatting ||= name === 'format';
    const values = argumentNodes.map((argument) => this.compile(argument, scope));
    this.#isFormatting = wasFormatting;
    const prefix = qualifiedName(targetNode);
    if (prefix !== undefined && (FUNCTIONS.has(`${prefix}.${name}`) || MISSING_FUNCTIONS.has(`${prefix}.${name}`)))
      return this.#resolve(`${prefix}.${name}`, values, offset, false);
    const target = this.compile(targetNode, scope);
    if (name === 'or' || name === 'orValue') return this.#optionalOr(name, target, values, offset);
    return this.#resolve(name, [target, ...values], offset, true);
  }

  /** Evaluates its argument only where it is needed. */
  #optionalOr(name: 'or' | 'orValue', target: Expression, values: Expression[], offset: number): Expression {
    const item = this.unification.fresh();
    const other = name === 'or' ? optionalOf(item) : item;
    const [argument] = values;
    const types = [target.type, ...values.map(({ type }) => type)];
    if (argument === undefined || !this.unification.assignAll(types, [optionalOf(item), other]))
      return this.noOverload(name, types, offset, true);
    return {
      type: this.unification.substitute(other),
      evaluate: (scope) => {
        const value = target.evaluate(scope);
        if (!(value instanceof OptionalValue)) throw noSuchOverload();
        if (value.value === undefined) return argument.evaluate(scope);
        return name === 'or' ? value : value.value;
      },
    };
  }

  #list(nodes: ASTNode[], scope: TypeScope): Expression {
    const items = nodes.map((node) => this.compile(node, scope));
    const type = this.#joined(items, nodes) ?? this.unification.fresh();
    return {
      type: listOf(type),
      evaluate: (values) => new PlainList(items.map((item) => item.evaluate(values))),
    };
  }

  #map(entries: [ASTNode, ASTNode][], scope: TypeScope): Expression {
    const keys = entries.map(([key]) => this.compile(key, scope));
    const items = entries.map(([, value]) => this.compile(value, scope));
    const keyType = this.#joined(keys, entries.map(([key]) => key)) ?? this.unification.fresh(); // prettier-ignore
    const itemType = this.#joined(items, entries.map(([, value]) => value)) ?? this.unification.fresh(); // prettier-ignore
    return {
      type: mapOf(keyType, itemType),
      evaluate: (values) =>
        new PlainMap(keys.map((key, index) => [key.evaluate(values), items[index]?.evaluate(values) ?? null])),
    };
  }

  /** The type that all share. Kubernetes allows no mixed ones but as arguments of `format`. */
  #joined(expressions: Expression[], nodes: ASTNode[]): CelType | undefined {
    const [first] = expressions;
    let joined = first?.type;
    expressions.forEach(({ type }, index) => {
      const node = nodes[index];
      if (joined === undefined || node === undefined || index === 0) return;
      if (this.unification.assign(joined, type)) {
        joined = mostGeneral(joined, type);
        return;
      }
      const [expected, actual] = [this.#typeText(first?.type ?? DYN), this.#typeText(type)];
      if (!this.#isFormatting)
        this.#late.push({ message: `expected type '${expected}' but found '${actual}'`, offset: positionOf(node) });
      joined = DYN;
    });
    return joined;
  }

  #conditional(node: ASTNode & { op: '?:' }, scope: TypeScope): Expression {
    const [condition, yes, no] = node.args.map((part) => this.compile(part, scope)) as [Expression, Expression, Expression]; // prettier-ignore
    const item = this.unification.fresh();
    const types = [condition.type, yes.type, no.type];
    if (!this.unification.assignAll(types, [BOOL, item, item])) {
      const offset = this.#text.indexOf('?', node.args[0].end);
      return this.noOverload('_?_:_', types, offset);
    }
    return {
      type: this.unification.substitute(item),
      evaluate: (values) => {
        const value = condition.evaluate(values);
        if (typeof value !== 'boolean') throw noSuchOverload();
        return value ? yes.evaluate(values) : no.evaluate(values);
      },
    };
  }

  #logical(node: ASTNode & { op: '&&' | '||' }, scope: TypeScope): Expression {
    const operands = node.args.map((part) => this.compile(part, scope)) as [Expression, Expression]; // two operands
    operands.forEach(({ type }, index) => {
      const operand = node.args[index];
      if (operand !== undefined && !this.unification.assign(type, BOOL)) this.mismatch(BOOL, type, operand);
    });
    return { type: BOOL, evaluate: shortCircuit(operands[0], operands[1], node.op === '||') };
  }

  #binary(node: ASTNode, scope: TypeScope): Expression {
    const [left, right] = node.args as [ASTNode, ASTNode]; // what is left are binary operators
    const name = node.op === 'in' ? '@in' : `_${node.op}_`;
    return this.#resolve(name, [this.compile(left, scope), this.compile(right, scope)], positionOf(node), false);
  }

  /** Finds the overloads that fit, and calls the one that the values fit. */
  #resolve(name: string, values: Expression[], offset: number, isMember: boolean): Expression {
    const overloads = FUNCTIONS.get(name);
    const types = values.map(({ type }) => type);
    if (MISSING_FUNCTIONS.has(name) && overloads === undefined)
      return this.fail(`the function '${name}' is not implemented by the sandbox's API server`, offset);
    if (overloads === undefined) return this.fail(`undeclared reference to '${name}' (in container '')`, offset);
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== isMember || overload.parameters.length !== types.length) continue;
      const [own = DYN, ...parameters] = this.unification.instantiate([overload.result, ...overload.parameters]);
      if (!this.unification.assignAll(types, parameters)) continue;
      fitting.push(overload);
      const type = this.unification.substitute(own);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && typeText(result) !== typeText(type)) result = DYN;
    }
    if (result === undefined) return this.noOverload(name, types, offset, isMember);
    const call = dispatch(fitting, types);
    return { type: result, evaluate: (scope) => call(values.map((value) => value.evaluate(scope))) };
  }

  /** What is only said of an expression whose types are right. */
  checkLiterals(node: ASTNode): void {
    const types = new Map([...this.#types].map(([part, type]) => [part, this.unification.substitute(type, true)]));
    for (const { message, offset } of [...this.#late, ...literalProblems(node, types)]) this.fail(message, offset);
  }

  #parenthesis(from: number): number {
    return this.#text.indexOf('(', from);
  }
}
