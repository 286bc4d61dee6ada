import {
  CachedWatch,
  sleep,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
} from '@groundcrew/controller-runtime';
import { isFresh } from './is-fresh.ts';

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
