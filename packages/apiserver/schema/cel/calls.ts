import type { Overload } from './functions/index.ts';
import { matchesType } from './matches-type.ts';
import type { Expression, ValueScope } from './scope.ts';
import type { CelType } from './types.ts';
import { CelError, noSuchOverload, type CelValue } from './values.ts';

type Call = (values: CelValue[]) => CelValue;

export function shortCircuit(left: Expression, right: Expression, decisive: boolean): (scope: ValueScope) => boolean {
  return (scope) => {
    const first = attempt(left, scope);
    if (first === decisive) return decisive;
    const second = attempt(right, scope);
    if (second === decisive) return decisive;
    for (const value of [first, second]) {
      if (value instanceof CelError) throw value;
      if (typeof value !== 'boolean') throw noSuchOverload();
    }
    return !decisive;
  };
}

/** An operand that fails does not matter where the other one decides. */
export function attempt(expression: Expression, scope: ValueScope): CelValue | CelError {
  try {
    return expression.evaluate(scope);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** Calls the overload that the values fit, where their types do not tell. */
export function dispatch(overloads: readonly Overload[], types: readonly CelType[]): Call {
  const [only] = overloads;
  if (only !== undefined && overloads.length === 1 && !types.some(isDynamic)) return (values) => only.call(...values);
  return (values) => {
    const found = overloads.find(({ parameters }) =>
      parameters.every((type, index) => matchesType(values[index] ?? null, type)),
    );
    if (found === undefined) throw noSuchOverload();
    return found.call(...values);
  };
}

function isDynamic(type: CelType): boolean {
  return ['dyn', 'error', 'param'].includes(type.kind) || (type.kind === 'list' && isDynamic(type.item));
}
