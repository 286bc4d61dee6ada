/** What a part of the run came to. */
export interface Tally {
  passed: number;
  /** What failed, by name. */
  failed: readonly string[];
  /** What did not run, by name and with what would make it run. */
  skipped: readonly string[];
  /** What failed at first and passed when its file ran once more, by name: a race that is still to be found. */
  unsteady?: readonly string[];
}

export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.flatMap(({ failed }) => failed),
    skipped: tallies.flatMap(({ skipped }) => skipped),
    unsteady: tallies.flatMap(({ unsteady = [] }) => unsteady),
  };
}
