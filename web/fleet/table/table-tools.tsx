import type { ComponentChildren, JSX } from 'preact';
import { SelectField, TextField } from '../../common/field.tsx';
import { inDigits } from '../parts/usage-bar.tsx';
import type { Column, Sorting } from './columns.ts';

interface Props<Row> {
  columns: readonly Column<Row>[];
  /** What can be searched for. */
  hint: string;
  text: string;
  onText: (text: string) => void;
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting | undefined) => void;
  /** Further filters. */
  children?: ComponentChildren;
  /** Number of rows that are shown, and of all. */
  shown: number;
  total: number;
  /** What a row is, in the plural. */
  what: string;
}

/** Search, filters and sorting of a table; the latter has no headings in narrow windows. */
export function TableTools<Row>(props: Props<Row>): JSX.Element {
  const { columns, sorting, onSort } = props;
  return (
    <>
      <div class="toolbar tools">
        <div class="grow">
          <TextField label="Search" type="search" value={props.text} onInput={props.onText} placeholder={props.hint} />
        </div>
        {props.children}
        <div class="only-narrow">
          <SelectField
            label="Sort by"
            value={sorting === undefined ? '' : `${sorting.id} ${sorting.isDown}`}
            options={[
              ['', 'Default order'],
              ...columns.flatMap(({ id, title }) =>
                [false, true].map((isDown) => [`${id} ${isDown}`, `${title} ${isDown ? '↓' : '↑'}`] as const),
              ),
            ]}
            onChange={(value) => {
              const [id = '', isDown] = value.split(' ');
              onSort(id === '' ? undefined : { id, isDown: isDown === 'true' });
            }}
          />
        </div>
      </div>
      <p class="quiet small" role="status">
        {props.shown === props.total
          ? `${inDigits(props.total)} ${props.what}`
          : `${inDigits(props.shown)} of ${inDigits(props.total)} ${props.what}`}
      </p>
    </>
  );
}
