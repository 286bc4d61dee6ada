import type { ASTNode } from '@marcbachmann/cel-js';
import type { Compiler } from './compiler.ts';
import { positionOf } from './nodes.ts';
import { TypeScope, ValueScope } from './scope.ts';
import { DYN, INT, typeText, type CelType } from './types.ts';
import { ListValue, MapValue, noSuchOverload, type CelValue } from './values.ts';

/** A macro that is to be expanded. */
export interface Macro {
  readonly compiler: Compiler;
  readonly node: ASTNode;
  readonly target: ASTNode;
  readonly args: readonly ASTNode[];
  readonly scope: TypeScope;
}

/** What is gone through, with the scopes of each round. */
export interface Range {
  readonly inner: TypeScope;
  readonly rounds: (values: ValueScope) => ValueScope[];
}

/** Undefined where the names of the variables are none. */
export function rangeOf({ compiler, target, args, scope }: Macro, variables: number): Range | undefined {
  const range = compiler.compile(target, scope);
  const names: string[] = [];
  for (const argument of args.slice(0, variables)) {
    if (argument.op !== 'id') {
      compiler.fail('argument must be a simple name', positionOf(argument));
      return undefined;
    }
    if (names.includes(argument.args)) {
      compiler.fail(`duplicate variable name: ${argument.args}`, argument.start);
      return undefined;
    }
    names.push(argument.args);
  }
  const [first = '', second] = names;
  const types = variableTypes(compiler, range.type, target, second !== undefined);
  const inner = new TypeScope({ [first]: types[0], ...(second === undefined ? {} : { [second]: types[1] }) }, scope);
  const rounds = (values: ValueScope): ValueScope[] =>
    entriesOf(range.evaluate(values), second !== undefined).map(
      ([one, other]) => new ValueScope({ [first]: one, ...(second === undefined ? {} : { [second]: other }) }, values),
    );
  return { inner, rounds };
}

function variableTypes(compiler: Compiler, type: CelType, node: ASTNode, isPair: boolean): [CelType, CelType] {
  const range = compiler.unification.substitute(type);
  switch (range.kind) {
    case 'list':
      return isPair ? [INT, range.item] : [range.item, DYN];
    case 'map':
      return [range.key, range.value];
    case 'param':
      compiler.unification.assign(DYN, range);
      return [DYN, DYN];
    case 'dyn':
    case 'error':
      return [DYN, DYN];
    default: {
      const message = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      const { type: none } = compiler.fail(message, positionOf(node));
      return [none, none];
    }
  }
}

function entriesOf(value: CelValue, isPair: boolean): [CelValue, CelValue][] {
  if (value instanceof ListValue)
    return [...value].map((item, index): [CelValue, CelValue] => (isPair ? [BigInt(index), item] : [item, null]));
  if (value instanceof MapValue) return value.keys().map((key) => [key, isPair ? (value.find(key) ?? null) : null]);
  throw noSuchOverload();
}

export function isTrue(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}
