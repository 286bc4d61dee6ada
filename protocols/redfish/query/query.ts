import type { Filter } from './filter.ts';

/** The parsed query parameters of a GET (DSP0266 §7.3); at least one is present. */
export interface Query {
  /** Answers the member of a collection with one member. */
  readonly only: boolean;
  readonly expand?: Expand;
  readonly select?: Selection;
  readonly filter?: Filter;
  readonly skip?: number;
  readonly top?: number;
  /** The parameters for the next-page link, as received: all except `$skip`. */
  readonly kept: readonly string[];
}

export interface Expand {
  /** Links outside of `Links` objects, links inside them, or both: `.`, `~`, `*`. */
  readonly links: 'Subordinate' | 'Related' | 'All';
  /** 1 to MAX_LEVELS. */
  readonly levels: number;
}

/** Selected properties by name, each with its own selection; undefined: the whole property. */
export type Selection = ReadonlyMap<string, Selection | undefined>;
