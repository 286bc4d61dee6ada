import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { EventStatus } from '../../../cli/status/overview.ts';
import { Badge } from '../../common/badge.tsx';
import { SelectField } from '../../common/field.tsx';
import { Empty } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { kindTitle, kindWords } from '../data/troubles.ts';
import { EventObject } from '../parts/event-object.tsx';
import { FilterButtons } from '../parts/filter-buttons.tsx';
import type { Column } from '../table/columns.ts';
import { SearchedTable } from '../table/searched-table.tsx';

const COLUMNS: readonly Column<EventStatus>[] = [
  {
    id: 'time',
    title: 'When',
    text: ({ time }) => time,
    isLargestFirst: true,
    cell: ({ time }) => (
      <span class="quiet">
        <Time at={time} />
      </span>
    ),
    narrow: 'end',
  },
  {
    id: 'object',
    title: 'Object',
    text: ({ kind, namespace, name }) => `${kindWords(kind)} ${namespace}/${name}`,
    cell: (event) => (
      <>
        <EventObject event={event} /> <span class="quiet small">{kindWords(event.kind)}</span>
      </>
    ),
    share: 3,
    narrow: 'first',
  },
  {
    id: 'reason',
    title: 'Reason',
    text: ({ reason }) => reason,
    cell: ({ type, reason, count }) => (
      <>
        <Badge tone={type === 'Normal' ? 'quiet' : 'warn'} {...(type === 'Normal' && { icon: 'info' })}>
          {type !== 'Normal' && <span class="hidden">Warning: </span>}
          {reason}
        </Badge>
        {count > 1 && <span class="quiet"> × {count}</span>}
      </>
    ),
    share: 3,
    from: 'medium',
  },
  {
    id: 'message',
    title: 'What happened',
    text: ({ message }) => message,
    cell: ({ message }) => <span title={message}>{message}</span>,
    share: 4,
    narrow: 'second',
  },
];

/** The newest Events of the cluster; new ones appear by themselves. */
export function Events(): JSX.Element {
  const { overview } = useFleet();
  const { events } = overview;
  const [text, setText] = useState('');
  const [kind, setKind] = useState('');
  const [type, setType] = useState('');
  const kinds = useMemo(() => [...new Set(events.map((event) => event.kind))].toSorted(), [events]);
  const warnings = events.filter((event) => event.type !== 'Normal').length;
  const filtered = useMemo(
    () => events.filter((event) => (kind === '' || event.kind === kind) && (type === '' || event.type !== 'Normal')),
    [events, kind, type],
  );
  return (
    <>
      <FilterButtons
        label="Show"
        value={type}
        options={[
          ['', 'All', events.length],
          ['Warning', 'Warnings', warnings],
        ]}
        onChange={setType}
      />
      <SearchedTable
        label="Events"
        columns={COLUMNS}
        rows={filtered}
        total={events.length}
        what={events.length === 1 ? 'event' : 'newest events'}
        hint="An object, a reason, a word"
        text={text}
        onText={setText}
        keyOf={({ id }) => id}
        empty={
          <div class="card">
            <Empty
              icon="list"
              title={events.length === 0 ? 'No events' : 'No event matches the search and the filters'}
            >
              {events.length === 0 && 'Actions of clients and changes appear here by themselves.'}
            </Empty>
          </div>
        }
      >
        <SelectField
          label="Kind"
          value={kind}
          options={[['', 'All'], ...kinds.map((one) => [one, kindTitle(one, 2)] as const)]}
          onChange={setKind}
        />
      </SearchedTable>
    </>
  );
}
