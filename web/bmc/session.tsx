import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { BmcContext } from './redfish/bmc-context.ts';
import type { Client } from './redfish/client.ts';
import { listen } from './redfish/event-stream.ts';
import { ResourceStore } from './redfish/resource-store.ts';
import type { SessionService } from './redfish/resources.ts';
import { ACCOUNT_SERVICE, LOG_ENTRIES, SESSION_SERVICE } from './redfish/uris.ts';

/** ms between two uses of the session: of ends without an event, and so that it lasts while the page is open. */
const CHECK = 15_000;

/** Reads what changes for as long as the session lasts, and notices its end. */
export function SessionOf({ client, children }: { client: Client; children: ComponentChildren }): JSX.Element {
  const store = useMemo(() => new ResourceStore(async (uri) => await client.get(uri)), [client]);
  const [isLive, setLive] = useState(false);

  useEffect(() => {
    const end = new AbortController();
    let logTimer: ReturnType<typeof setTimeout> | undefined;
    let hasBeenLive = false;
    const check = (): void => {
      // Without an answer there is nothing to notice; an ended session ends the page by its 401.
      client.get(client.caller.session).catch(() => undefined);
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

  useEffect(() => endWhenIdle(client), [client]);

  const bmc = useMemo(() => ({ client, store, isLive }), [client, store, isLive]);
  return <BmcContext.Provider value={bmc}>{children}</BmcContext.Provider>;
}

/** Marks the element of an open console: a session with one is in use. */
const CONSOLE_MARK = 'data-open-console';

/**
 * The page's own requests keep the session alive, so the page has to notice that its reader has left: after the timeout
 * of the BMC's sessions without a key or a pointer it logs out, unless a console is open.
 */
function endWhenIdle(client: Client): () => void {
  let last = Date.now();
  let timeout = 30 * 60_000;
  client
    .get<SessionService>(SESSION_SERVICE)
    .then(({ SessionTimeout }) => {
      timeout = SessionTimeout * 1000;
    })
    .catch(() => undefined);
  const touch = (): void => {
    last = Date.now();
  };
  const kinds = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;
  for (const kind of kinds) addEventListener(kind, touch, { passive: true, capture: true });
  const timer = setInterval(() => {
    if (document.querySelector(`[${CONSOLE_MARK}]`) !== null) touch();
    if (Date.now() - last < timeout) return;
    void client.logOut();
    client.end('You were logged out, because the page was not used.');
  }, 5_000);
  return () => {
    clearInterval(timer);
    for (const kind of kinds) removeEventListener(kind, touch, { capture: true });
  };
}
