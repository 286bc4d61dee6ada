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
  /**
   * Whether the console may take the focus: not from what the reader has opened at the console since, and when the console connects by
   * itself, from nothing.
   */
  readonly takesFocus: () => boolean;
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
 * meant. The reason of the end is shown until it is open again.
 *
 * @param connect must not change from one rendering to the next, unless the console is to be connected anew
 * @param onEnd called after each end. A browser tells no page why a request for a WebSocket was refused; Redfish may
 */
export function useConsole<L extends Line>(connect: Connect<L>, onEnd: () => unknown): Console<L> {
  const element = useRef<HTMLDivElement>(null);
  const line = useRef<L>(null);
  const attempt = useRef(0);
  const isAgain = useRef(false);
  const [round, setRound] = useState(0);
  const [state, setState] = useState<ConsoleState>({ kind: 'connecting' });

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since = Infinity;
    const place = element.current;
    if (place === null) return undefined;
    if (!isAgain.current) setState({ kind: 'connecting' });
    const [before, byItself] = [document.activeElement, isAgain.current];
    const callbacks: Callbacks = {
      takesFocus: () => {
        const { activeElement: now, body } = document;
        return now === body || (!byItself && (now === before || place.closest('section')?.contains(now) !== true));
      },
      opened: () => {
        if (isOver) return;
        since = Date.now();
        setState({ kind: 'open' });
      },
      ended: (code, reason) => {
        if (isOver) return;
        const end = consoleEnd(code, reason);
        setState({ kind: 'ended', ...end });
        onEnd();
        if (!end.reconnects) return;
        if (Date.now() - since > LASTING) attempt.current = 0;
        timer = setTimeout(
          () => {
            isAgain.current = true;
            setRound((last) => last + 1);
          },
          reconnectDelay(attempt.current++),
        );
      },
    };
    isAgain.current = false;
    connect(place, callbacks).then(
      (opened) => {
        if (isOver) opened.close();
        else line.current = opened;
      },
      async (error: unknown) => {
        const text = await failureOf(error);
        if (!isOver) setState({ kind: 'failed', text });
      },
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
      line.current?.close();
      line.current = null;
    };
  }, [connect, onEnd, round]);

  const again = useCallback(() => {
    setRound((last) => last + 1);
  }, []);
  return { element, line, state, connect: again };
}

/** Words for a console that cannot begin. Files of the page are loaded when they are needed, and have other names in another version. */
async function failureOf(error: unknown): Promise<string> {
  const text = error instanceof Error ? error.message : String(error);
  // Browsers have no code for it: Chromium, Firefox and Safari only speak of a module.
  if (!(error instanceof TypeError && /module/i.test(text))) return text;
  return await fetch(document.baseURI, { method: 'HEAD', cache: 'no-store' }).then(
    () => 'This page is of another version of the BMC. Reload it and log in again.',
    () => 'The connection to the BMC is lost.',
  );
}
