import type { JSX } from 'preact';
import { Card } from '../../common/card.tsx';
import { Icon } from '../../common/icons.tsx';
import { Empty } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { EventObject } from '../parts/event-object.tsx';
import { linkTo } from '../routes.ts';

/** Events shown. */
const SHOWN = 8;

export function RecentEvents(): JSX.Element {
  const { overview } = useFleet();
  const events = overview.events.slice(0, SHOWN);
  return (
    <Card title="Last events" aside={<a href={linkTo({ place: 'events' })}>All events</a>}>
      {events.length === 0 ? (
        <Empty icon="list" title="No events">
          Actions of clients and changes appear here by themselves.
        </Empty>
      ) : (
        <ul class="recent">
          {events.map((event) => (
            <li key={event.id}>
              <span class={event.type === 'Normal' ? 'tone-good' : 'tone-warn'}>
                <Icon name={event.type === 'Normal' ? 'check' : 'alert'} />
                {event.type !== 'Normal' && <span class="hidden">Warning: </span>}
              </span>
              <span>
                <EventObject event={event} /> {event.message === '' ? event.reason : event.message}
              </span>
              <span class="quiet small">
                <Time at={event.time} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
