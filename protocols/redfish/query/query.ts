import type { Filter } from './filter.ts';

/** What the query parameters of a GET ask for (DSP0266 §7.3), beyond the resource itself. At least one of these is there. */
export interface Query {
  /** Instead of a collection with one member, that member. */
  readonly only: boolean;
  readonly expand?: Expand;
  readonly select?: Selection;
  readonly filter?: Filter;
  readonly skip?: number;
  readonly top?: number;
  /** The parameters that a page keeps from the page before it, as they came: those but `$skip`. */
  readonly kept: readonly string[];
}

export interface Expand {
  /** Links outside of `Links` objects, those within, or both: `.`, `~`, `*`. */
  readonly links: 'Subordinate' | 'Related' | 'All';
  /** 1 up to MAX_LEVELS. */
  readonly levels: number;
}

/** Properties to show by their names, each with those below it; undefined: all of it. */
export type Selection = ReadonlyMap<string, Selection | undefined>;
