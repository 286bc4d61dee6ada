import { useMemo, useState } from 'preact/hooks';
import type { Column, Sorting } from './columns.ts';
import { Searcher, sortRows } from './find-rows.ts';

interface Found<Row> {
  readonly rows: readonly Row[];
  readonly sorting: Sorting | undefined;
  setSorting: (sorting: Sorting | undefined) => void;
}

/**
 * The rows that match a text, sorted as the reader wants.
 *
 * @param columns always the same ones
 * @param all in the order that they have until the reader sorts them
 */
export function useRows<Row extends object>(
  columns: readonly Column<Row>[],
  all: readonly Row[],
  text: string,
): Found<Row> {
  const [sorting, setSorting] = useState<Sorting>();
  const searcher = useMemo(() => new Searcher(columns), [columns]);
  const found = useMemo(() => searcher.find(all, text), [searcher, all, text]);
  const rows = useMemo(
    () =>
      sortRows(
        found,
        columns.find(({ id }) => id === sorting?.id),
        sorting?.isDown === true,
      ),
    [columns, found, sorting],
  );
  return { rows, sorting, setSorting };
}
