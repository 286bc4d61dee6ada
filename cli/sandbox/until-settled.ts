/** A cache of objects of any kind. */
interface WatchedCache {
  run(signal: AbortSignal): Promise<void>;
  synced(): Promise<void>;
  subscribe(listener: () => void): () => void;
}

/**
 * Runs the caches and calls `look` after each change. When it settles, the caches stop and keep their content.
 *
 * @param look returns the milliseconds until the next call without a change; 0: settled
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

/** Whether anything has changed since the last wait. */
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

/** The document that `--ready-file` writes: everything that a script needs to use the sandbox. */
export interface ReadyDocument {
  /** Link to the page of the cluster, for one browser. */
  web: string;
  kubeconfig: string;
  /** PEM file with the certificate of the CA that signs the HTTPS certificates of BMCs. */
  authority: string;
  bmcs: ReadyBmc[];
  pools: ReadyPool[];
}

export interface ReadyBmc {
  namespace: string;
  name: string;
  virtualMachine: string;
  /** Absent if IPMI is disabled. */
  ipmi?: { host: string; port: number };
  /** Redfish URL; absent if Redfish is disabled. */
  redfish?: string;
  username: string;
  password: string;
}

export interface ReadyPool {
  namespace: string;
  name: string;
  cidr: string;
  /** Address at which a DHCP server of the pool accepts requests from relay agents. */
  dhcp: { host: string; port: number };
  /** An address of the network that a relay agent can use as giaddr. */
  relay: string;
}

/** Whether the text is a ready document. */
export function isReadyDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'kubeconfig' in value && 'bmcs' in value && 'pools' in value;
  } catch {
    return false;
  }
}
