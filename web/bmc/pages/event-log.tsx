import type { JSX } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Card } from '../../common/card.tsx';
import { Confirmation } from '../../common/confirmation.tsx';
import { SelectField, TextField } from '../../common/field.tsx';
import { Empty, Failure, Loading } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { Collection, LogEntry } from '../redfish/resources.ts';
import { LOG, LOG_ENTRIES } from '../redfish/uris.ts';

const TONES = { OK: 'quiet', Warning: 'warn', Critical: 'bad' } as const;
/** Rows shown before `Show more`. */
const PAGE = 100;

export function EventLog(): JSX.Element {
  const { client, store, isLive } = useBmc();
  const { body, problem, refresh } = useResource<Collection<LogEntry>>(LOG_ENTRIES);
  const refusal = useRefusal('clearLog');
  const [text, setText] = useState('');
  const [severity, setSeverity] = useState('');
  const [count, setCount] = useState(PAGE);
  const [isAsked, setAsked] = useState(false);
  const [clear, isClearing] = useAction(
    useCallback(async () => {
      await client.send('POST', `${LOG}/Actions/LogService.ClearLog`, {});
      await store.refresh(LOG_ENTRIES);
      return 'The log is cleared.';
    }, [client, store]),
  );
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return (body?.Members ?? [])
      .filter((entry) => severity === '' || (severity === 'OK') === (entry.Severity === 'OK'))
      .filter((entry) => `${entry.Message} ${entry.MessageId} ${entry.Username ?? ''}`.toLowerCase().includes(wanted))
      .toReversed();
  }, [body, text, severity]);
  const total = body?.Members.length ?? 0;
  return (
    <>
      <div class="toolbar">
        <div class="grow">
          <TextField
            label="Filter"
            type="search"
            value={text}
            onInput={setText}
            placeholder="A word, a user or an address"
          />
        </div>
        <SelectField
          label="Severity"
          value={severity}
          options={[
            ['', 'All'],
            ['Warning', 'Warnings'],
            ['OK', 'Information'],
          ]}
          onChange={setSeverity}
        />
        <Button
          kind="danger"
          reason={refusal ?? (total === 0 ? 'The log is empty.' : undefined)}
          isBusy={isClearing}
          onClick={() => {
            setAsked(true);
          }}
        >
          Clear the log
        </Button>
      </div>
      <p class="live" role="status">
        <span class={`lamp ${isLive ? 'good' : 'warn'}`} />
        {isLive ? 'New entries appear by themselves.' : 'Without live events now: read again every 5 s.'}
        {body !== undefined && ` ${found.length} of ${total} entries.`}
      </p>
      {problem !== undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      <Card title={<span class="hidden">Entries</span>} isFlush class="headless">
        {body === undefined && problem === undefined && <Loading what="the event log" />}
        {body !== undefined && found.length === 0 && (
          <Empty icon="list" title={total === 0 ? 'The log is empty' : 'No entry matches the filter'} />
        )}
        {found.length > 0 && <Entries of={found.slice(0, count)} />}
      </Card>
      {found.length > count && (
        <div class="buttons">
          <Button
            onClick={() => {
              setCount(count + PAGE);
            }}
          >
            Show more
          </Button>
        </div>
      )}
      {isAsked && (
        <Confirmation
          title="Clear the event log?"
          yes="Clear the log"
          onAnswer={(isYes) => {
            setAsked(false);
            if (isYes) void clear();
          }}
        >
          All {total} entries are deleted, also for IPMI. The log then says who cleared it.
        </Confirmation>
      )}
    </>
  );
}

function Entries({ of }: { of: readonly LogEntry[] }): JSX.Element {
  return (
    <div class="table-scroll">
      <table class="table stacks log-table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Severity</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ Id, Created, Severity, Message }) => (
            <tr key={Id}>
              <td class="quiet" data-label="When">
                <Time at={Created} />
              </td>
              <td data-label="Severity">
                <Badge tone={TONES[Severity]} {...(Severity === 'OK' && { icon: 'info' })}>
                  {Severity === 'OK' ? 'Information' : Severity}
                </Badge>
              </td>
              <td>{Message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
