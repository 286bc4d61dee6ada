import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Sorting } from './columns.ts';
import { DataTable, type TableProps } from './data-table.tsx';
import { Searcher, sortRows } from './find-rows.ts';
import { TableTools } from './table-tools.tsx';

interface Props<Row> extends Omit<TableProps<Row>, 'sorting' | 'onSort'> {
  /** Those that pass the filters of the page, in the order that they have until the reader sorts them. */
  rows: readonly Row[];
  /** Number of rows without filters. */
  total: number;
  /** What a row is, in the number of `total`. */
  what: string;
  /** What can be searched for. */
  hint: string;
  text: string;
  onText: (text: string) => void;
  /** Further filters. */
  children?: ComponentChildren;
}

/**
 * A table that the reader searches and sorts.
 *
 * @param props `columns` are always the same ones
 */
export function SearchedTable<Row extends object>(props: Props<Row>): JSX.Element {
  const { columns, rows: all, total, what, hint, text, onText, children, ...table } = props;
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
  const tools = { columns, hint, text, onText, sorting, onSort: setSorting, shown: rows.length, total, what };
  return (
    <>
      <TableTools {...tools}>{children}</TableTools>
      <DataTable {...table} columns={columns} rows={rows} sorting={sorting} onSort={setSorting} />
    </>
  );
}
