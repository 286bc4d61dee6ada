import type { Lack } from '../tools/index.ts';

/** A test, or a whole tier, that did not run. */
export interface Skip {
  name: string;
  /** What the test needs and this machine lacks; empty: the test is skipped on all machines. */
  lacks: readonly Lack[];
  /** The entry represents all tests of a tier, with an unknown number. */
  isTier?: true;
}

/** Results of a part of the run. */
export interface Tally {
  passed: number;
  /** Names of failed tests. */
  failed: readonly string[];
  /** Skipped tests. */
  skipped: readonly Skip[];
  /** Names of tests that failed and then passed in a second run of their file, which indicates a race. */
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
