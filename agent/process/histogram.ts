import type { Sample } from './exposition.ts';

/** Histogram of times in seconds. An observation only adds to numbers. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** Count per bucket; the last one is above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds upper bounds in seconds, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  samples(labels: Readonly<Record<string, string>> = {}): Sample[] {
    let total = 0;
    const buckets = [...this.#counts].map((count, index) => {
      total += count;
      return { suffix: '_bucket', labels: { ...labels, le: String(this.#bounds[index] ?? '+Inf') }, value: total };
    });
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: total }];
  }
}
