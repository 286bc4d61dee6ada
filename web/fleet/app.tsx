import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { NoticeArea } from '../common/notices.tsx';
import { type End, type Fleet, follow } from './data/follow.ts';
import { endSession, openSession } from './data/session.ts';
import { Locked } from './locked.tsx';
import { Shell } from './shell.tsx';

type State =
  /** The key of the link is being exchanged, or the session is tried. */
  | { readonly is: 'opening' }
  | { readonly is: 'open'; readonly fleet: Fleet }
  /** A key is needed. */
  | { readonly is: 'locked'; readonly message: string }
  | { readonly is: 'failed'; readonly message: string };

const LOGGED_OUT = 'You are logged out. Each new link works once.';

/**
 * The pages of a session, or how to get one.
 *
 * @param linkKey key of the link that was opened; '' if the page was opened without one
 */
export function App({ linkKey }: { linkKey: string }): JSX.Element {
  const [state, setState] = useState<State>({ is: 'opening' });
  /** Counts the attempts to follow the status. */
  const [attempt, setAttempt] = useState(linkKey === '' ? 1 : 0);
  /** Why the last key was refused. */
  const refusal = useRef('');

  const open = async (key: string): Promise<void> => {
    refusal.current = '';
    await openSession(key).catch((error: unknown) => {
      refusal.current = error instanceof Error ? error.message : String(error);
    });
    // Without a new session the browser may still have an earlier one.
    setAttempt((old) => old + 1);
  };
  useEffect(() => {
    if (linkKey !== '') void open(linkKey);
  }, [linkKey]);
  useEffect(() => {
    if (attempt === 0) return undefined;
    return follow({
      changed: (fleet) => {
        setState((old) => (old.is === 'locked' ? old : { is: 'open', fleet }));
      },
      ended: ({ isLocked, message }: End) => {
        setState((old) => {
          // By a log-out of this page.
          if (old.is === 'locked') return old;
          if (!isLocked) return { is: 'failed', message };
          const wasOpen = old.is === 'open' && old.fleet.overview !== undefined;
          // A reader who has only opened the page has lost nothing.
          return { is: 'locked', message: wasOpen ? LOGGED_OUT : refusal.current };
        });
      },
    });
  }, [attempt]);

  if (state.is === 'locked' || state.is === 'failed')
    return (
      <Locked
        message={state.message}
        retry={
          state.is === 'failed'
            ? () => {
                setState({ is: 'opening' });
                setAttempt(attempt + 1);
              }
            : undefined
        }
        onKey={async (key) => {
          setState({ is: 'opening' });
          await open(key);
        }}
      />
    );
  return (
    <NoticeArea>
      <Shell
        fleet={state.is === 'open' ? state.fleet : undefined}
        onLogOut={() => {
          void endSession().then(() => {
            setState({ is: 'locked', message: LOGGED_OUT });
            setAttempt(0);
          });
        }}
      />
    </NoticeArea>
  );
}
