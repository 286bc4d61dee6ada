import { BOOL, BYTES, DOUBLE, DURATION, INT, listOf, param, STRING, TIMESTAMP, UINT, type CelType } from '../types.ts';
import { CelError, compare, DurationValue, isEqual, UintValue, type CelValue, type ListValue } from '../values.ts';
import { member, plain, type Functions, type Overload } from './declaration.ts';
import { int, uint } from './operators.ts';

const A = param('A');
const COMPARABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

/** Kubernetes' library of lists, and cel-go's of sets. */
export const LISTS: Functions = {
  isSorted: COMPARABLE.map((type) => member([listOf(type)], BOOL, isSorted)),
  sum: [
    member([listOf(INT)], INT, (list: ListValue) => total(list, 0n, (a, b: bigint) => int(a + b))),
    member([listOf(UINT)], UINT, (list: ListValue) =>
      total(list, new UintValue(0n), (a, b: UintValue) => uint(a.value + b.value)),
    ),
    member([listOf(DOUBLE)], DOUBLE, (list: ListValue) => total(list, 0, (a, b: number) => a + b)),
    member([listOf(DURATION)], DURATION, (list: ListValue) =>
      total(
        list,
        new DurationValue(0n),
        (a, b: DurationValue) => new DurationValue(int(a.nanoseconds + b.nanoseconds)),
      ),
    ),
  ],
  min: extreme('min', (order) => order > 0),
  max: extreme('max', (order) => order < 0),
  indexOf: [member([listOf(A), A], INT, (list: ListValue, item: CelValue) => indexOf([...list], item))],
  lastIndexOf: [
    member([listOf(A), A], INT, (list: ListValue, item: CelValue) => {
      const index = indexOf([...list].reverse(), item);
      return index === -1n ? index : BigInt(list.size) - 1n - index;
    }),
  ],
  'sets.contains': [plain([listOf(A), listOf(A)], BOOL, contains)],
  'sets.equivalent': [
    plain([listOf(A), listOf(A)], BOOL, (a: ListValue, b: ListValue) => contains(a, b) && contains(b, a)),
  ],
  'sets.intersects': [
    plain([listOf(A), listOf(A)], BOOL, (a: ListValue, b: ListValue) => [...a].some((item) => b.includes(item))),
  ],
};

function isSorted(list: ListValue): boolean {
  const items = [...list];
  return items.every((item, index) => index === 0 || compare(items[index - 1] ?? null, item) <= 0);
}

function total<T extends CelValue>(list: ListValue, zero: T, add: (a: T, b: T) => T): T {
  // The overload's type is that of the items.
  return [...list].reduce<T>((sum, item) => add(sum, item as T), zero);
}

function extreme(name: string, prefersNext: (order: number) => boolean): Overload[] {
  const find = (list: ListValue): CelValue => {
    const [first, ...rest] = list;
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return rest.reduce((best, item) => (prefersNext(compare(best, item)) ? item : best), first);
  };
  return COMPARABLE.map((type: CelType) => member([listOf(type)], type, find));
}

function indexOf(items: readonly CelValue[], item: CelValue): bigint {
  return BigInt(items.findIndex((own) => isEqual(own, item)));
}

function contains(list: ListValue, part: ListValue): boolean {
  return [...part].every((item) => list.includes(item));
}
