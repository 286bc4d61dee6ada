import { cloneElement, type ComponentChildren, isValidElement, type JSX, toChildArray, type VNode } from 'preact';
import { Card } from '../../common/card.tsx';
import { Failure, Loading } from '../../common/states.tsx';
import type { Shown } from '../redfish/bmc-context.ts';
import type { Collection } from '../redfish/resources.ts';

interface Props<Member> {
  title: string;
  /** What is loading, in lower case. */
  what: string;
  shown: Shown<Collection<Member>>;
  /** Those of `shown` that have a row; undefined: they are not read yet. */
  members: readonly Member[] | undefined;
  /** Headings; an empty one is that of the actions. */
  columns: readonly string[];
  /** In place of a table without rows. */
  empty?: ComponentChildren;
  row: (member: Member) => JSX.Element;
}

/** The members of a collection as a table, or why there is no table. */
export function ResourceTable<Member>({
  title,
  what,
  shown,
  members,
  columns,
  empty,
  row,
}: Props<Member>): JSX.Element {
  const { problem, refresh } = shown;
  return (
    <>
      {problem !== undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      <Card title={<span class="hidden">{title}</span>} isFlush class="headless">
        {members === undefined && problem === undefined && <Loading what={what} />}
        {members?.length === 0 && empty}
        {members !== undefined && (members.length > 0 || empty === undefined) && (
          <div class="table-scroll">
            <table class="table stacks">
              <thead>
                <tr>
                  {columns.map((column) => (
                    <th key={column} scope="col">
                      {column === '' ? <span class="hidden">Actions</span> : column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>{members.map((member) => withLabels(row(member), columns))}</tbody>
            </table>
          </div>
        )}
      </Card>
    </>
  );
}

/** The cells of a row with the headings of their columns, which a narrow window does not show. The first cell is what the row is about. */
function withLabels(row: VNode<{ children?: ComponentChildren }>, columns: readonly string[]): JSX.Element {
  const cells = toChildArray(row.props.children).map((cell, index) =>
    index > 0 && isValidElement(cell) ? cloneElement(cell, { 'data-label': columns[index] }) : cell,
  );
  return cloneElement(row, {}, cells);
}
