import type { ASTNode } from '@marcbachmann/cel-js';
import { fieldOf } from './access.ts';
import { attempt } from './calls.ts';
import type { Compiler } from './compiler.ts';
import { positionOf } from './nodes.ts';
import { isTrue, rangeOf, type Macro } from './range.ts';
import { TypeScope, ValueScope, type Expression } from './scope.ts';
import { filter, listTransform, mapTransform } from './transforms.ts';
import { BOOL, DYN, INT, optionalOf, unwrapOptional } from './types.ts';
import { CelError, noSuchOverload, OptionalValue } from './values.ts';

/** Macros of values, with the numbers of arguments that they take; another number makes a function of the name. */
const MACROS: Readonly<Record<string, readonly number[] | undefined>> = {
  all: [2, 3],
  exists: [2, 3],
  exists_one: [2, 3],
  existsOne: [3],
  map: [2, 3],
  filter: [2],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
  optMap: [2],
  optFlatMap: [2],
};

/** An expression that is no function: `has(…)`, and those that bind variables. Undefined where it is none of them. */
export function expandMacro(
  compiler: Compiler,
  node: ASTNode,
  name: string,
  target: ASTNode | undefined,
  args: ASTNode[],
  scope: TypeScope,
): Expression | undefined {
  if (target === undefined)
    return name === 'has' && args.length === 1 ? has(compiler, args[0], node, scope) : undefined;
  if (MACROS[name]?.includes(args.length) !== true) return undefined;
  const macro = { compiler, node, target, args, scope };
  switch (name) {
    case 'map':
      return listTransform(macro, 1);
    case 'transformList':
      return listTransform(macro, 2);
    case 'transformMap':
    case 'transformMapEntry':
      return mapTransform(macro, name);
    case 'filter':
      return filter(macro);
    case 'optMap':
    case 'optFlatMap':
      return optional(macro, name);
    default:
      return quantifier(macro, name);
  }
}

function has(compiler: Compiler, argument: ASTNode | undefined, node: ASTNode, scope: TypeScope): Expression {
  if (argument === undefined || (argument.op !== '.' && argument.op !== '.?'))
    return compiler.fail('invalid argument to has() macro', argument === undefined ? node.start : positionOf(argument));
  const [operandNode, field] = argument.args;
  const operand = compiler.compile(operandNode, scope);
  compiler.fieldType(operand.type, field, positionOf(node));
  return {
    type: BOOL,
    evaluate: (values) => {
      const value = operand.evaluate(values);
      if (!(value instanceof OptionalValue)) return fieldOf(value, field) !== undefined;
      return value.value !== undefined && fieldOf(value.value, field) !== undefined;
    },
  };
}

function quantifier(macro: Macro, name: string): Expression {
  const { compiler, args } = macro;
  const range = rangeOf(macro, args.length - 1);
  const predicateNode = args.at(-1);
  if (range === undefined || predicateNode === undefined) return { type: BOOL, evaluate: () => false };
  const predicate = compiler.compile(predicateNode, range.inner);
  const isOne = name === 'exists_one' || name === 'existsOne';
  if (!compiler.unification.assign(predicate.type, BOOL)) {
    if (isOne) compiler.noOverload('_?_:_', [predicate.type, INT, INT], positionOf(macro.node));
    else compiler.mismatch(BOOL, predicate.type, predicateNode);
  }
  if (isOne)
    return {
      type: BOOL,
      evaluate: (values) => range.rounds(values).filter((round) => isTrue(predicate.evaluate(round))).length === 1,
    };
  const decisive = name === 'exists';
  return {
    type: BOOL,
    evaluate: (values) => {
      let error: CelError | undefined;
      for (const round of range.rounds(values)) {
        const value = attempt(predicate, round);
        if (value === decisive) return decisive;
        if (value instanceof CelError) error ??= value;
        else if (typeof value !== 'boolean') error ??= noSuchOverload();
      }
      if (error !== undefined) throw error;
      return !decisive;
    },
  };
}

/** `optMap` makes what it returns optional, `optFlatMap` returns what is optional already. */
function optional({ compiler, target, args, scope, node }: Macro, name: 'optMap' | 'optFlatMap'): Expression {
  const [variable, resultNode] = args;
  const operand = compiler.compile(target, scope);
  if (variable?.op !== 'id' || resultNode === undefined)
    return compiler.fail(
      `${name}() variable name must be a simple identifier`,
      variable === undefined ? node.start : positionOf(variable),
    );
  const key = variable.args;
  const inner = unwrapOptional(compiler.unification.substitute(operand.type)) ?? DYN;
  const result = compiler.compile(resultNode, new TypeScope({ [key]: inner }, scope));
  return {
    type: name === 'optMap' ? optionalOf(result.type) : result.type,
    evaluate: (values) => {
      const value = operand.evaluate(values);
      if (!(value instanceof OptionalValue)) throw noSuchOverload();
      if (value.value === undefined) return OptionalValue.none;
      const mapped = result.evaluate(new ValueScope({ [key]: value.value }, values));
      return name === 'optMap' ? new OptionalValue(mapped) : mapped;
    },
  };
}
