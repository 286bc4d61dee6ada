/** A cache of objects of whatever kind. */
interface WatchedCache {
  run(signal: AbortSignal): Promise<void>;
  synced(): Promise<void>;
  subscribe(listener: () => void): () => void;
}

/**
 * Follows the caches, and looks whenever they change. They keep what they hold at the end, and follow no more.
 *
 * @param look milliseconds after which it is to look again though nothing has changed; 0: it is settled
 */
export async function untilSettled(
  caches: readonly WatchedCache[],
  signal: AbortSignal,
  look: () => number,
): Promise<void> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const running = caches.map((cache) => cache.run(AbortSignal.any([signal, stop.signal])));
  const changes = new Changes();
  const ends = caches.map((cache) =>
    cache.subscribe(() => {
      changes.tell();
    }),
  );
  const onAbort = (): void => {
    changes.tell();
  };
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([Promise.all(caches.map((cache) => cache.synced())), aborted(signal)]);
    for (let wait = look(); wait > 0; wait = look()) {
      await changes.next(wait);
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const end of ends) end();
    stop.abort();
    await Promise.allSettled(running);
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

/** Whether anything has changed since somebody waited for it. */
class Changes {
  #wake: () => void = () => undefined;
  #isNew = false;

  tell(): void {
    this.#isNew = true;
    this.#wake();
  }

  async next(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.#isNew) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, milliseconds);
      });
    }
    clearTimeout(timer);
    this.#isNew = false;
  }
}
