import type { ComponentChildren } from 'preact';

/** A column of a table with rows of one kind. */
export interface Column<Row> {
  /** Unique in the table. */
  readonly id: string;
  readonly title: string;
  /** What the reader can search for, and sorts by. */
  readonly text: (row: Row) => string;
  /** Sorts by this instead; undefined comes last. */
  readonly order?: (row: Row) => number | string | undefined;
  /** The first click sorts from the largest. */
  readonly isLargestFirst?: boolean;
  /** Default: the text. */
  readonly cell?: (row: Row) => ComponentChildren;
  /** Share of the width; default 2. */
  readonly share?: 1 | 2 | 3 | 4;
  /** Hidden in tables that are narrower: `wide` first, then `medium`. */
  readonly from?: 'medium' | 'wide';
  /** Its place in a narrow table, whose rows have two lines: the first line, its end, or the second line. Default: hidden. */
  readonly narrow?: 'first' | 'end' | 'second';
}

/** How a table is sorted. */
export interface Sorting {
  /** Of the column. */
  readonly id: string;
  readonly isDown: boolean;
}
