import type { Column, Sorting } from './columns.ts';

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Finds rows by text in all columns, and keeps what it has read of a row: a table of thousands changes a few rows at a time. */
export class Searcher<Row extends object> {
  readonly #texts = new WeakMap<Row, string>();
  readonly #columns: readonly Column<Row>[];

  constructor(columns: readonly Column<Row>[]) {
    this.#columns = columns;
  }

  /** The rows that contain each word of the text, in any column and in any case. */
  find(rows: readonly Row[], text: string): readonly Row[] {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return rows;
    return rows.filter((row) => {
      const all = this.#textOf(row);
      return words.every((word) => all.includes(word));
    });
  }

  #textOf(row: Row): string {
    let text = this.#texts.get(row);
    if (text === undefined) {
      text = this.#columns.map((column) => column.text(row).toLowerCase()).join('\n');
      this.#texts.set(row, text);
    }
    return text;
  }
}

/** Sorts rows by a column; equal ones keep their order. Numbers in texts are compared as numbers. */
export function sortRows<Row>(rows: readonly Row[], column: Column<Row> | undefined, isDown: boolean): readonly Row[] {
  if (column === undefined) return rows;
  const { order = column.text } = column;
  const sign = isDown ? -1 : 1;
  return rows
    .map((row) => ({ row, key: order(row) }))
    .sort((a, b) => {
      // Rows without a value come last in both directions.
      if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined);
      return sign * compare(a.key, b.key);
    })
    .map(({ row }) => row);
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return COLLATOR.compare(String(a), String(b));
}

/** How a table is sorted after a click on a heading. */
export function nextSorting<Row>(column: Column<Row>, sorting: Sorting | undefined): Sorting {
  const isDown = sorting?.id === column.id ? !sorting.isDown : column.isLargestFirst === true;
  return { id: column.id, isDown };
}
