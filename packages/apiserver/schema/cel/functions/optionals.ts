import { BOOL, optionalOf, param } from '../types.ts';
import { CelError, ListValue, MapValue, OptionalValue, type CelValue } from '../values.ts';
import { member, plain, type Functions } from './declaration.ts';

const A = param('A');

/** cel-go's optional values. `or` and `orValue` are not here: they need not evaluate their argument. */
export const OPTIONALS: Functions = {
  'optional.of': [plain([A], optionalOf(A), (value: CelValue) => new OptionalValue(value))],
  'optional.ofNonZeroValue': [
    plain([A], optionalOf(A), (value: CelValue) => (isZero(value) ? OptionalValue.none : new OptionalValue(value))),
  ],
  'optional.none': [plain([], optionalOf(A), () => OptionalValue.none)],
  hasValue: [member([optionalOf(A)], BOOL, (optional: OptionalValue) => optional.value !== undefined)],
  value: [member([optionalOf(A)], A, valueOf)],
};

function valueOf({ value }: OptionalValue): CelValue {
  if (value === undefined) throw new CelError('optional.none() dereference');
  return value;
}

function isZero(value: CelValue): boolean {
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  return value === null || value === false || value === 0n || value === 0 || value === '';
}
