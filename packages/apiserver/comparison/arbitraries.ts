import fc from 'fast-check';

/** Any part of an object may be absent. */
export const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });

/** What is of interest, but ends most of what follows. */
export const rarely = <T>(value: fc.Arbitrary<T>, weight = 9): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

/** Few keys and values, so that writers meet. */
export const key = fc.constantFrom('a', 'b', 'c');
export const word = fc.constantFrom('x', 'y', '');
export const words = fc.dictionary(key, word, { maxKeys: 2 });

/** An object of the parts; what is undefined is left out, as JSON does. */
export function record(parts: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .record(parts)
    .map((object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)));
}
