import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { Message } from '../common/states.tsx';
import { useBmc, useResource } from './redfish/bmc-context.ts';
import type { SessionService } from './redfish/resources.ts';
import { SESSION_SERVICE } from './redfish/uris.ts';

/** Seconds; the BMC's own default, until it has said its timeout. */
const TIMEOUT = 1_800;
/** An open console: a session with one is in use. */
const CONSOLE = '[data-open-console]';
const USES = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

/**
 * The page's own requests keep the session alive, so the page has to notice that its reader has left: after the timeout
 * of the BMC's sessions without a key or a pointer it logs out. It says so before, and any use goes on with the session
 * (WCAG 2.2, 2.2.1). An open console, and a boot that waits for an import, count as use.
 */
export function IdleEnd(): JSX.Element | null {
  const { client, boot } = useBmc();
  const { body } = useResource<SessionService>(SESSION_SERVICE);
  const timeout = (body?.SessionTimeout ?? TIMEOUT) * 1_000;
  const waits = boot.task !== undefined;
  const last = useRef(Date.now());
  const [isWarned, setWarned] = useState(false);
  const use = useCallback((event?: Event) => {
    // What announces the end must not vanish beneath the pointer that is on its way to the button.
    if (event?.target instanceof Element && event.target.closest('.early') !== null) return;
    last.current = Date.now();
    setWarned(false);
  }, []);

  useEffect(() => {
    for (const kind of USES) addEventListener(kind, use, { passive: true, capture: true });
    return () => {
      for (const kind of USES) removeEventListener(kind, use, { capture: true });
    };
  }, [use]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (waits || document.querySelector(CONSOLE) !== null) use();
      const left = last.current + timeout - Date.now();
      setWarned(left <= warningOf(timeout));
      if (left > 0) return;
      void client.logOut();
      client.end('You were logged out, because the page was not used.');
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, [client, timeout, waits, use]);

  if (!isWarned) return null;
  return (
    <div class="notices early">
      <Message tone="warn" isAlert>
        <strong>You will be logged out at {CLOCK.format(last.current + timeout)}</strong>
        <p>This page is not used. Any key or movement of the pointer goes on with the session.</p>
        <p>
          <Button
            isNarrow
            onClick={() => {
              use();
            }}
          >
            Stay logged in
          </Button>
        </p>
      </Message>
    </div>
  );
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** ms before the end from which it is announced: a minute, or a third of a short timeout, but 20 s at least. */
function warningOf(timeout: number): number {
  return Math.max(20_000, Math.min(60_000, timeout / 3));
}
