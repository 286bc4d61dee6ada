import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Confirmation } from '../../common/confirmation.tsx';
import { Empty } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { Collection, Session } from '../redfish/resources.ts';
import { SESSIONS } from '../redfish/uris.ts';
import { ResourceTable } from './resource-table.tsx';

const KINDS: Readonly<Record<string, string>> = {
  Redfish: 'Redfish',
  KVMIP: 'Screen',
  HostConsole: 'Serial console',
};

export function Sessions(): JSX.Element {
  const { client, store } = useBmc();
  const shown = useResource<Collection<Session>>(SESSIONS, { every: 10_000 });
  const refusal = useRefusal('endSession');
  const { user, session: own } = client.caller;
  const [asked, setAsked] = useState<Session>();
  const [end, isBusy] = useAction(
    useCallback(
      async (uri: string) => {
        await client.send('DELETE', uri);
        await store.refresh(SESSIONS);
        return 'The session is ended.';
      },
      [client, store],
    ),
  );
  return (
    <>
      <ResourceTable
        title="Sessions"
        what="sessions"
        shown={shown}
        members={shown.body?.Members}
        columns={['User', 'Kind', 'From', 'Since', '']}
        empty={<Empty icon="sessions" title="No sessions" />}
        row={(session) => {
          const uri = session['@odata.id'];
          return (
            <tr key={session.Id}>
              <td>
                <strong>{session.UserName}</strong> <span class="quiet small">{session.Roles?.join(', ')}</span>{' '}
                {uri === own && (
                  <Badge tone="busy" icon="check">
                    this page
                  </Badge>
                )}
              </td>
              <td>{kindOf(session)}</td>
              <td class="mono">{session.ClientOriginIPAddress}</td>
              <td class="quiet">
                <Time at={session.CreatedTime} />
              </td>
              <td class="actions">
                <Button
                  isNarrow
                  isBusy={isBusy}
                  reason={session.UserName === user ? undefined : refusal}
                  onClick={() => {
                    if (uri === own) void client.logOut();
                    else setAsked(session);
                  }}
                >
                  {uri === own ? 'Log out' : 'End'}
                </Button>
              </td>
            </tr>
          );
        }}
      />
      {asked !== undefined && (
        <Confirmation
          title={`End the session of ${asked.UserName}?`}
          yes="End"
          onAnswer={(isYes) => {
            setAsked(undefined);
            if (isYes) void end(asked['@odata.id']);
          }}
        >
          {kindOf(asked)}, from {asked.ClientOriginIPAddress ?? 'an unknown address'}. What its user has not saved there
          is lost.
        </Confirmation>
      )}
    </>
  );
}

function kindOf({ SessionType: type = '' }: Session): string {
  return KINDS[type] ?? type;
}
