import {
  CachedWatch,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
  sleep,
} from '@groundcrew/controller-runtime';

export interface NamedWatchesOptions {
  client: KubeClient;
  namespace: string;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds that a client waits for the API server at most: IPMI clients give up after four seconds or so. */
const PATIENCE = 2000;

/** One object as the API server last told of it. */
export interface ObjectWatch<T extends KubeObject> {
  /** Undefined: it does not exist, or `hasSettled` is false yet. */
  readonly object: T | undefined;
  /** The server has told what there is, or that it does not know the kind. */
  readonly hasSettled: boolean;
  /** What it told last can still be taken for what is. */
  readonly isFresh: boolean;
  /** Asks the server where that is not so. Resolves when it has answered or failed, or after 2 s; never rejects. */
  refresh(): Promise<void>;
  stop(): void;
}

/** Where a BMC gets its objects from: a watch for each, or a look into one of the whole namespace. */
export interface ObjectWatches {
  /** `onChange` is called whenever `object` or `hasSettled` may have changed. */
  watch<T extends KubeObject>(kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T>;
}

/** Watches single objects by name, which is all that a dedicated agent may watch (`resourceNames` in its Role). */
export class NamedWatches implements ObjectWatches {
  readonly #options: NamedWatchesOptions;

  constructor(options: NamedWatchesOptions) {
    this.#options = options;
  }

  watch<T extends KubeObject>(kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T> {
    const { clock, namespace } = this.#options;
    const stop = new AbortController();
    const cache = new CachedWatch<T>({ ...this.#options, kind, fieldSelector: `metadata.name=${name}` });
    cache.subscribe(onChange);
    void cache.run(stop.signal);
    cache.settled(stop.signal).then(onChange, () => undefined);
    return {
      get object() {
        return cache.get({ namespace, name });
      },
      get hasSettled() {
        return cache.hasSynced || cache.absent;
      },
      get isFresh() {
        return isFresh(cache, clock.now());
      },
      async refresh() {
        if (isFresh(cache, clock.now())) return;
        const answered = new AbortController();
        const answer = cache.confirm().finally(() => {
          answered.abort();
        });
        await Promise.race([answer, sleep(clock, PATIENCE, answered.signal)]);
      },
      stop() {
        stop.abort();
      },
    };
  }
}

/** Milliseconds: longer than the minute between bookmarks, so that the API server is only asked where it sends none. */
const SILENCE = 90_000;
/** Milliseconds that opening a watch anew may take. */
const GAP = 10_000;
/** Milliseconds: a watch that is opened anew first tells what was missed. */
const CATCH_UP = 1000;

/**
 * Whether what a watch told last can still be taken for what is. A client that fences a node decides by what it reads here: a machine that was
 * off when the connection broke may have been started since.
 */
export function isFresh<T extends KubeObject>(
  { openWatch, heard }: Pick<CachedWatch<T>, 'openWatch' | 'heard'>,
  now: number,
): boolean {
  if (openWatch !== undefined && now - openWatch.opened >= CATCH_UP) return isWithin(SILENCE, openWatch.heard, now);
  return heard !== undefined && isWithin(GAP, heard, now);
}

/** If the clock was set back since, the time since then is not known. */
function isWithin(span: number, heard: number, now: number): boolean {
  return now >= heard && now - heard <= span;
}
