import { positionOf } from './nodes.ts';
import { isTrue, rangeOf, type Macro, type Range } from './range.ts';
import type { Expression, ValueScope } from './scope.ts';
import { BOOL, DYN, listOf, mapOf, type CelType } from './types.ts';
import { CelError, keyText, MapValue, noSuchOverload, PlainList, PlainMap, type CelValue } from './values.ts';

/** `map` and `transformList`: a list of what an expression makes of each item, of those that a condition admits. */
export function listTransform(macro: Macro, variables: 1 | 2): Expression {
  const parts = partsOf(macro, variables);
  if (parts === undefined) return { type: listOf(DYN), evaluate: () => new PlainList([]) };
  const type = listOf(macro.compiler.unification.substitute(parts.result.type));
  checkCondition(macro, parts, type);
  return {
    type,
    evaluate: (values) => new PlainList(admitted(parts, values).map((round) => parts.result.evaluate(round))),
  };
}

/** `transformMap`, with the keys of what is gone through, and `transformMapEntry`, with entries of its own. */
export function mapTransform(macro: Macro, name: 'transformMap' | 'transformMapEntry'): Expression {
  const parts = partsOf(macro, 2);
  const variable = macro.args[0];
  if (parts === undefined || variable?.op !== 'id') return { type: mapOf(DYN, DYN), evaluate: () => new PlainMap([]) };
  const { unification } = macro.compiler;
  const made = unification.substitute(parts.result.type);
  const type =
    name === 'transformMap' ? mapOf(parts.range.inner.find(variable.args) ?? DYN, made) : entryType(macro, made);
  checkCondition(macro, parts, type);
  return {
    type,
    evaluate: (values) => {
      const rounds = admitted(parts, values);
      const results = rounds.map((round) => parts.result.evaluate(round));
      return mapOfEntries(
        name === 'transformMap'
          ? rounds.map((round, index): Entry => [round.find(variable.args) ?? null, results[index] ?? null])
          : results.flatMap(entriesOf),
      );
    },
  };
}

function entryType({ compiler, node }: Macro, type: CelType): CelType {
  if (type.kind === 'map') return type;
  if (type.kind === 'dyn' || type.kind === 'error') return mapOf(DYN, DYN);
  return compiler.noOverload('cel.@mapInsert', [mapOf(DYN, DYN), type], node.start).type;
}

type Entry = [CelValue, CelValue];

function entriesOf(value: CelValue): Entry[] {
  if (!(value instanceof MapValue)) throw noSuchOverload();
  return value.keys().map((key): Entry => [key, value.find(key) ?? null]);
}

function mapOfEntries(entries: readonly Entry[]): PlainMap {
  let map = new PlainMap([]);
  entries.forEach(([key], index) => {
    if (map.find(key) !== undefined) throw new CelError(`insert failed: key ${keyText(key)} already exists`);
    map = new PlainMap(entries.slice(0, index + 1));
  });
  return map;
}

/** `filter`. */
export function filter(macro: Macro): Expression {
  const { compiler, args, node } = macro;
  const range = rangeOf(macro, 1);
  const [variable, predicateNode] = args;
  if (range === undefined || predicateNode === undefined || variable?.op !== 'id')
    return { type: listOf(DYN), evaluate: () => new PlainList([]) };
  const name = variable.args;
  const condition = compiler.compile(predicateNode, range.inner);
  const type = listOf(range.inner.find(name) ?? DYN);
  checkCondition({ compiler, node }, { condition }, type);
  return {
    type,
    evaluate: (values) =>
      new PlainList(admitted({ range, condition }, values).map((round) => round.find(name) ?? null)),
  };
}

interface Parts {
  readonly range: Range;
  readonly condition?: Expression;
  readonly result: Expression;
}

function partsOf(macro: Macro, variables: 1 | 2): Parts | undefined {
  const { compiler, args } = macro;
  const range = rangeOf(macro, variables);
  const [first, second] = args.slice(variables);
  if (range === undefined || first === undefined) return undefined;
  const condition = second === undefined ? undefined : compiler.compile(first, range.inner);
  const result = compiler.compile(second ?? first, range.inner);
  return { range, result, ...(condition === undefined ? {} : { condition }) };
}

function checkCondition(
  { compiler, node }: Pick<Macro, 'compiler' | 'node'>,
  { condition }: Pick<Parts, 'condition'>,
  type: CelType,
): void {
  if (condition !== undefined && !compiler.unification.assign(condition.type, BOOL))
    compiler.noOverload('_?_:_', [condition.type, type, type], positionOf(node));
}

function admitted({ range, condition }: Pick<Parts, 'range' | 'condition'>, values: ValueScope): ValueScope[] {
  return range.rounds(values).filter((round) => condition === undefined || isTrue(condition.evaluate(round)));
}
