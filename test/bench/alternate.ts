/** What is measured, and how often. */
export interface Turns<T> {
  subject: T;
  runs: number;
  /** Gives one value. */
  measure: () => Promise<number>;
}

/**
 * Measures in turn, one run of each after the other, so that what else happens on the machine hits all alike. Gives
 * the values in the order of the subjects.
 */
export async function alternate<T>(turns: readonly Turns<T>[]): Promise<{ subject: T; values: number[] }[]> {
  const results = turns.map(({ subject }) => ({ subject, values: [] as number[] }));
  const rounds = Math.max(0, ...turns.map(({ runs }) => runs));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { runs, measure }] of turns.entries()) {
      if (round < runs) results[index]?.values.push(await measure());
    }
  }
  return results;
}
