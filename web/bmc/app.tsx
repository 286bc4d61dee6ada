import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { NoticeArea } from '../common/notices.tsx';
import type { Client } from './redfish/client.ts';
import { LogIn } from './log-in.tsx';
import { Shell } from './shell.tsx';
import { SessionOf } from './session.tsx';

/** The log-in, or the pages of a session. */
export function App(): JSX.Element {
  const [client, setClient] = useState<Client>();
  const [reason, setReason] = useState('');
  useEffect(() => {
    if (client === undefined) return undefined;
    const leave = (): void => {
      void client.logOut();
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
    };
  }, [client]);
  if (client === undefined) {
    return (
      <LogIn
        reason={reason}
        onLogIn={setClient}
        onEnd={(why) => {
          setReason(why);
          setClient(undefined);
        }}
      />
    );
  }
  return (
    <NoticeArea>
      <SessionOf client={client}>
        <Shell />
      </SessionOf>
    </NoticeArea>
  );
}
