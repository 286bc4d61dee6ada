import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ConsoleEnd, consoleEnd, reconnectDelay } from './close-reason.ts';

export type ConsoleState =
  | { readonly kind: 'connecting' | 'open' }
  | ({ readonly kind: 'ended' } & ConsoleEnd)
  | { readonly kind: 'failed'; readonly text: string };

/** ms that a connection must last for the next attempts to begin with the shortest pause. */
const LASTING = 5_000;

/** A console that is connected. */
export interface Line {
  close(): void;
}

export interface Callbacks {
  readonly opened: () => void;
  /** Called at most once. */
  readonly ended: (code: number, reason: string) => void;
}

/** Connects a console in the element. Its program is loaded when it is called first. */
export type Connect<L extends Line> = (element: HTMLElement, callbacks: Callbacks) => Promise<L>;

export interface Console<L extends Line> {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly line: RefObject<L | null>;
  readonly state: ConsoleState;
  readonly connect: () => void;
}

/**
 * A console for as long as its page is shown. It connects again by itself, after ever longer pauses, unless its end was
 * meant.
 *
 * @param connect must not change from one rendering to the next, unless the console is to be connected anew
 */
export function useConsole<L extends Line>(connect: Connect<L>): Console<L> {
  const element = useRef<HTMLDivElement>(null);
  const line = useRef<L>(null);
  const attempt = useRef(0);
  const [round, setRound] = useState(0);
  const [state, setState] = useState<ConsoleState>({ kind: 'connecting' });

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since = Infinity;
    const place = element.current;
    if (place === null) return undefined;
    setState({ kind: 'connecting' });
    connect(place, {
      opened: () => {
        if (isOver) return;
        since = Date.now();
        setState({ kind: 'open' });
      },
      ended: (code, reason) => {
        if (isOver) return;
        const end = consoleEnd(code, reason);
        setState({ kind: 'ended', ...end });
        if (!end.reconnects) return;
        if (Date.now() - since > LASTING) attempt.current = 0;
        timer = setTimeout(
          () => {
            setRound((last) => last + 1);
          },
          reconnectDelay(attempt.current++),
        );
      },
    }).then(
      (opened) => {
        if (isOver) opened.close();
        else line.current = opened;
      },
      (error: unknown) => {
        if (!isOver) setState({ kind: 'failed', text: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
      line.current?.close();
      line.current = null;
    };
  }, [connect, round]);

  const again = useCallback(() => {
    setRound((last) => last + 1);
  }, []);
  return { element, line, state, connect: again };
}
