/** Counts by two values. Only the first occurrence of a pair allocates memory, so the values must be few. */
export class PairCounts<A, B> {
  readonly #counts = new Map<A, Map<B, { count: number }>>();

  add(a: A, b: B): void {
    const counter = this.#counts.get(a)?.get(b);
    if (counter === undefined) this.begin(a, b, 1);
    else counter.count += 1;
  }

  /** Sets a count. With 0, a pair is there before it occurs: `increase()` does not see a series that begins with 1. */
  begin(a: A, b: B, count = 0): void {
    const counts = this.#counts.get(a) ?? new Map<B, { count: number }>();
    counts.set(b, { count });
    this.#counts.set(a, counts);
  }

  *[Symbol.iterator](): Generator<[A, B, number]> {
    for (const [a, counts] of this.#counts) for (const [b, { count }] of counts) yield [a, b, count];
  }
}
