import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { BootAfter } from './media/boot-after.tsx';
import { type Bmc, BmcContext } from './redfish/bmc-context.ts';
import type { Client } from './redfish/client.ts';
import { listen } from './redfish/event-stream.ts';
import { ResourceStore } from './redfish/resource-store.ts';
import { ACCOUNT_SERVICE, LOG_ENTRIES, SESSION_SERVICE } from './redfish/uris.ts';
import { IdleEnd } from './idle-end.tsx';

/** ms between two uses of the session: of ends without an event, and so that it lasts while the page is open. */
const CHECK = 15_000;

/** Reads what changes for as long as the session lasts, and notices its end. */
export function SessionOf({ client, children }: { client: Client; children: ComponentChildren }): JSX.Element {
  const store = useMemo(() => new ResourceStore(async (uri) => await client.get(uri)), [client]);
  const [isLive, setLive] = useState(false);
  const [bootsAfter, setBootsAfter] = useState<string>();

  useEffect(() => {
    const end = new AbortController();
    let logTimer: ReturnType<typeof setTimeout> | undefined;
    let hasBeenLive = false;
    const check = (): void => {
      // An ended session ends the page by its 401, and another timeout is taken over. Without an answer there is nothing to notice.
      void store.refresh(SESSION_SERVICE);
    };
    const timer = setInterval(check, CHECK);
    void listen(
      client,
      {
        event: ({ OriginOfCondition: origin, EventType: type }) => {
          const uri = origin?.['@odata.id'] ?? '';
          store.changed(uri);
          // A change of its account ends the session, too. The stream outlasts both (DSP0266, session termination side effects).
          if (uri === client.caller.session || uri.startsWith(`${ACCOUNT_SERVICE}/`)) check();
          // Each entry of the log is an event. Several within a moment are read at once.
          if (type === 'Alert') {
            logTimer ??= setTimeout(() => {
              logTimer = undefined;
              store.changed(LOG_ENTRIES);
            }, 400);
          }
        },
        live: (isNow) => {
          // A BMC that was restarted does not know the events of before.
          if (isNow && hasBeenLive) store.refreshShown();
          hasBeenLive ||= isNow;
          setLive(isNow);
        },
      },
      end.signal,
    );
    return () => {
      clearInterval(timer);
      clearTimeout(logTimer);
      end.abort();
    };
  }, [client, store]);

  const boot = useMemo(() => ({ task: bootsAfter, await: setBootsAfter }), [bootsAfter]);
  const bmc = useMemo<Bmc>(() => ({ client, store, isLive, boot }), [client, store, isLive, boot]);
  return (
    <BmcContext.Provider value={bmc}>
      {children}
      {bootsAfter !== undefined && <BootAfter key={bootsAfter} task={bootsAfter} />}
      <IdleEnd />
    </BmcContext.Provider>
  );
}
