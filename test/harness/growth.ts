/** Fewer samples of a process say nothing of its growth. */
const FEWEST_SAMPLES = 4;

/**
 * The median of the differences between consecutive samples in the second half of each process's life: one process may become the
 * leader or grow a table in between, but a leak adds to every sample.
 *
 * @param samples bytes in use by process, in the order of time
 * @returns last bytes in use and growth from sample to sample, without processes that lived for few samples
 */
export function growthOf(
  samples: readonly ReadonlyMap<string, number>[],
): Map<string, { last: number; samples: number; growth: number }> {
  const growths = new Map<string, { last: number; samples: number; growth: number }>();
  for (const name of new Set(samples.flatMap((sample) => [...sample.keys()]))) {
    const series = samples.flatMap((sample) => sample.get(name) ?? []);
    if (series.length < FEWEST_SAMPLES) continue;
    const half = series.slice(Math.floor(series.length / 2) - 1);
    const steps = half.slice(1).map((bytes, index) => bytes - (half[index] ?? 0));
    const growth = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
    growths.set(name, { last: series.at(-1) ?? 0, samples: series.length, growth });
  }
  return growths;
}
