/** Upper bounds, seconds. */
const BOUNDS = [25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3] as const;

/** Times counted in buckets: a dozen comparisons and two additions for each. */
export class Latency {
  readonly bounds: readonly number[] = BOUNDS;
  /** How many fell into each bucket, and at the end those that fell into none. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}
