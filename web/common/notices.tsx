import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { Message, type Trouble } from './states.tsx';

export interface Notices {
  /** Says that something was done. It goes away by itself. */
  done(text: string): void;
  /** Says what went wrong. It stays until it is closed. */
  failed(trouble: Trouble): void;
}

interface Shown {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
  readonly resolution: string | undefined;
}

/** ms that a notice of success stays. */
const STAY = 6_000;
/** More are not readable. */
const MOST = 4;

const Context = createContext<Notices>({ done: () => undefined, failed: () => undefined });

export function useNotices(): Notices {
  return useContext(Context);
}

export function NoticeArea({ children }: { children: ComponentChildren }): JSX.Element {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const lastId = useRef(0);
  const close = useCallback((id: number) => {
    setShown((all) => all.filter((notice) => notice.id !== id));
  }, []);
  const add = useCallback(
    (notice: Omit<Shown, 'id'>) => {
      const id = ++lastId.current;
      setShown((all) => [...all.slice(1 - MOST), { ...notice, id }]);
      if (notice.tone === 'good') setTimeout(close, STAY, id);
    },
    [close],
  );
  const [notices] = useState<Notices>(() => ({
    done: (text) => {
      add({ tone: 'good', text, resolution: undefined });
    },
    failed: ({ message, resolution }) => {
      add({ tone: 'bad', text: message, resolution });
    },
  }));
  return (
    <Context.Provider value={notices}>
      {children}
      <div class="notices" role="status" aria-live="polite">
        {shown.map(({ id, tone, text, resolution }) => (
          <Message key={id} tone={tone}>
            <strong>{text}</strong>
            {resolution !== undefined && <p>{resolution}</p>}
            <button
              class="close"
              type="button"
              aria-label="Close this notice"
              onClick={() => {
                close(id);
              }}
            >
              <Icon name="close" />
            </button>
          </Message>
        ))}
      </div>
    </Context.Provider>
  );
}
