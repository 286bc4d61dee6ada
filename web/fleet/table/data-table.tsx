import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../common/icons.tsx';
import type { Column, Sorting } from './columns.ts';
import { nextSorting } from './find-rows.ts';
import { rowOfKey } from './row-keys.ts';
import { useVisibleRange } from './visible-range.ts';

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Those that are shown, sorted. */
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting) => void;
  /** Link of a row, which is on its first cell. Absent: rows cannot be opened. */
  linkOf?: (row: Row) => string;
  /** Key of the row that is open. */
  openKey?: string | undefined;
  /** Class of a row. */
  toneOf?: (row: Row) => string;
  /** In place of a table without rows. */
  empty: ComponentChildren;
}

/**
 * A table of any number of rows, of which only those in the window are rendered. All rows have the same height. One row
 * is in the order of the Tab key; the arrow keys, Page, Home and End lead to the others.
 */
export function DataTable<Row>(props: TableProps<Row>): JSX.Element {
  const { columns, rows, keyOf, linkOf, openKey } = props;
  const body = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight(body, rows.length > 0);
  const { first, end } = useVisibleRange(body, rows.length, rowHeight);
  const [activeKey, setActiveKey] = useState<string>();
  const wantsFocus = useRef(false);
  const shown = rows.slice(first, end);
  const active = Math.max(
    0,
    shown.findIndex((row) => keyOf(row) === activeKey),
  );

  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const link = body.current?.querySelector<HTMLElement>('[role="row"] [tabindex="0"]');
    // Rows that were out of the window are rendered after it has scrolled.
    if (link?.dataset['key'] !== activeKey) return;
    wantsFocus.current = false;
    link?.focus({ preventScroll: true });
  });

  const move = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(innerHeight / rowHeight) - 4);
    const next = rowOfKey(event.key, first + active, rows.length, page);
    const row = next === undefined ? undefined : rows[next];
    if (next === undefined || row === undefined) return;
    event.preventDefault();
    wantsFocus.current = true;
    setActiveKey(keyOf(row));
    scrollToRow(body.current, next, rowHeight);
  };

  if (rows.length === 0) return <>{props.empty}</>;
  return (
    <div class="data-table" role="table" aria-label={props.label} aria-rowcount={rows.length + 1}>
      <div class="head" role="rowgroup">
        <div class="row" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <Heading key={column.id} column={column} sorting={props.sorting} onSort={props.onSort} />
          ))}
        </div>
      </div>
      <div
        class="body"
        role="rowgroup"
        ref={body}
        onKeyDown={linkOf && move}
        style={{ height: `${rows.length * rowHeight}px` }}
      >
        <div class="window" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {shown.map((row, index) => {
            const key = keyOf(row);
            return (
              <div
                key={key}
                class={`row ${linkOf ? 'opens' : ''} ${key === openKey ? 'open' : ''} ${props.toneOf?.(row) ?? ''}`}
                role="row"
                aria-rowindex={first + index + 2}
                onClick={linkOf && openByClick}
                onFocusCapture={() => {
                  setActiveKey(key);
                }}
              >
                {columns.map((column, place) => (
                  <div key={column.id} class={`cell ${classOf(column)}`} role="cell">
                    {place === 0 && linkOf !== undefined ? (
                      <a
                        href={linkOf(row)}
                        data-key={key}
                        tabIndex={index === active ? 0 : -1}
                        aria-current={key === openKey ? 'true' : undefined}
                      >
                        {contentOf(column, row)}
                      </a>
                    ) : (
                      contentOf(column, row)
                    )}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Heading<Row>({
  column,
  sorting,
  onSort,
}: {
  column: Column<Row>;
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting) => void;
}): JSX.Element {
  const isDown = sorting?.id === column.id ? sorting.isDown : undefined;
  return (
    <div
      class={`cell ${classOf(column)}`}
      role="columnheader"
      aria-sort={isDown === undefined ? undefined : isDown ? 'descending' : 'ascending'}
    >
      <button
        type="button"
        onClick={() => {
          onSort(nextSorting(column, sorting));
        }}
      >
        {column.title}
        {isDown !== undefined && <Icon name={isDown ? 'down' : 'up'} />}
      </button>
    </div>
  );
}

function contentOf<Row>({ text, cell = text }: Column<Row>, row: Row): ComponentChildren {
  return cell(row);
}

function classOf<Row>({ share = 2, from, narrow }: Column<Row>): string {
  return [`share-${share}`, from && `from-${from}`, narrow && `narrow-${narrow}`].filter(Boolean).join(' ');
}

/** A click anywhere on a row is one on its link, unless it selects text or is on another control. */
function openByClick({ target, currentTarget }: { target: EventTarget | null; currentTarget: HTMLElement }): void {
  const isOther = target instanceof Element && target.closest('a, button') !== null;
  if (isOther || getSelection()?.isCollapsed === false) return;
  const link = currentTarget.querySelector('a');
  link?.focus({ preventScroll: true });
  link?.click();
}

/** The height that the style sheet gives to rows, in pixels; it depends on the width of the table. */
function useRowHeight(body: { current: HTMLElement | null }, hasRows: boolean): number {
  const [height, setHeight] = useState(46);
  useLayoutEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const measured = element.querySelector('[role="row"]')?.getBoundingClientRect().height ?? 0;
      if (measured > 0) setHeight(measured);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [body, hasRows]);
  return height;
}

/** Scrolls the window so that the row is between the bar with the headings and the bottom. */
function scrollToRow(body: HTMLElement | null, row: number, rowHeight: number): void {
  if (body === null) return;
  const top = body.getBoundingClientRect().top + row * rowHeight;
  // The bar and the headings, which stay at the top of the window.
  const covered = 2.5 * rowHeight;
  if (top < covered) scrollBy({ top: top - covered, behavior: 'instant' });
  else if (top + rowHeight > innerHeight) scrollBy({ top: top + rowHeight - innerHeight + 8, behavior: 'instant' });
}
