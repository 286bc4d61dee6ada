import type { JSX } from 'preact';
import { Card } from '../../common/card.tsx';
import { Icon } from '../../common/icons.tsx';
import { Empty, Failure, Loading } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { Collection, LogEntry } from '../redfish/resources.ts';
import { LOG_ENTRIES } from '../redfish/uris.ts';

/** Entries shown. */
const SHOWN = 7;

const TONES = { OK: 'good', Warning: 'warn', Critical: 'bad' } as const;

export function RecentCard(): JSX.Element {
  const { body, problem, refresh } = useResource<Collection<LogEntry>>(LOG_ENTRIES);
  return (
    <Card class="wide" title="Last actions and events" aside={<a href="#/log">Event log</a>}>
      {body === undefined && problem === undefined && <Loading what="the event log" />}
      {problem !== undefined && body === undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      {body?.Members.length === 0 && (
        <Empty icon="list" title="The log is empty">
          Power actions, changes and log-in failures appear here.
        </Empty>
      )}
      {body !== undefined && body.Members.length > 0 && (
        <ul class="recent">
          {body.Members.slice(-SHOWN)
            .toReversed()
            .map(({ Id, Severity, Message, Created }) => (
              <li key={Id}>
                <span class={`tone-${TONES[Severity]}`}>
                  <Icon name={Severity === 'OK' ? 'check' : 'alert'} />
                  <span class="hidden">{Severity}: </span>
                </span>
                <span>{Message}</span>
                <span class="quiet small">
                  <Time at={Created} />
                </span>
              </li>
            ))}
        </ul>
      )}
    </Card>
  );
}
