/** Resolves when the page is to be seen, or the signal is aborted. */
export async function untilShown(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

export interface Shown {
  /** Aborted with the outer signal, or once the page was hidden for so long. */
  readonly signal: AbortSignal;
  /** Looks no longer. */
  end(): void;
}

/** @param ms for which the page may be hidden */
export function whileShown(ms: number, outer: AbortSignal): Shown {
  const hidden = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (!document.hidden) return;
    timer = setTimeout(() => {
      hidden.abort();
    }, ms);
  };
  document.addEventListener('visibilitychange', look);
  look();
  return {
    signal: AbortSignal.any([outer, hidden.signal]),
    end: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    },
  };
}
