/** What a part of the run came to. */
export interface Tally {
  passed: number;
  /** What failed, by name. */
  failed: readonly string[];
  /** What did not run, by name and with what would make it run. */
  skipped: readonly string[];
}

export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.flatMap(({ failed }) => failed),
    skipped: tallies.flatMap(({ skipped }) => skipped),
  };
}
