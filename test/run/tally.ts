import type { Lack } from '../tools/index.ts';

/** A test, or a whole tier, that did not run. */
export interface Skip {
  name: string;
  /** What it needs and this machine does not have; none: it is skipped wherever it runs. */
  lacks: readonly Lack[];
  /** It stands for all tests of a tier, whose number is not known. */
  isTier?: true;
}

/** What a part of the run came to. */
export interface Tally {
  passed: number;
  /** What failed, by name. */
  failed: readonly string[];
  /** What did not run. */
  skipped: readonly Skip[];
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
