import type { ComponentChildren, JSX } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { Message } from './states.tsx';
import { type Notices, NoticesContext } from './use-notices.ts';

interface Shown {
  readonly id: number;
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
  readonly resolution: string | undefined;
}

/** ms that a notice stays which goes away by itself. */
const STAY = 6_000;
/** More are not readable. */
const MOST = 4;

export function NoticeArea({ children }: { children: ComponentChildren }): JSX.Element {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const lastId = useRef(0);
  const close = useCallback((id: number) => {
    setShown((all) => all.filter((notice) => notice.id !== id));
  }, []);
  const add = useCallback(
    (notice: Omit<Shown, 'id'>) => {
      const id = ++lastId.current;
      setShown((all) => [...all.filter(({ text }) => text !== notice.text).slice(1 - MOST), { ...notice, id }]);
      if (notice.tone !== 'bad') setTimeout(close, STAY, id);
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
    refused: (reason) => {
      add({ tone: 'warn', text: reason, resolution: undefined });
    },
  }));
  return (
    <NoticesContext.Provider value={notices}>
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
    </NoticesContext.Provider>
  );
}
