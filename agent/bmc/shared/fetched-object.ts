import {
  Backoff,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Timer,
} from '@groundcrew/controller-runtime';
import type { ObjectWatch } from '../objects/named-watches.ts';
import type { Slots } from '../objects/slots.ts';

export interface FetchedObjectOptions<T extends KubeObject> {
  client: KubeClient;
  kind: Kind<T>;
  namespace: string;
  name: string;
  /** Bounds the requests of all objects. */
  slots: Slots;
  /** Whether the BMC is not served before it has the object. */
  isUrgent: boolean;
  /** Whether it is read again a minute later: another agent may write it still. */
  readsAgain: boolean;
  /** Called when `object` or `hasSettled` has changed. */
  onChange: () => void;
  clock: Clock;
  /** Returns a number from [0, 1). */
  random: () => number;
}

/** Milliseconds until a failed read is repeated: the Role of a new BMC may take effect only after its entry has arrived. */
const RETRY = { base: 500, max: 10_000 };
/**
 * Milliseconds to the second read: the agent that acted before may have written for its last clients, for which it waits 50 s.
 * The reads of many BMCs are spread over as much again.
 */
const SECOND_READ = 60_000;

/**
 * An object without a watch: it is read at the start and when its reader knows that it has changed. One that the agent before may write
 * still is read again a minute later, and each whenever a write meets a conflict.
 */
export class FetchedObject<T extends KubeObject> implements ObjectWatch<T> {
  readonly isFresh = true;
  readonly #options: FetchedObjectOptions<T>;
  /** Ends the read in the background. */
  #reading: AbortController | undefined;
  #isStopped = false;
  #first: Promise<T | undefined> | undefined;
  #timer: Timer | undefined;
  #mustRepeat = false;
  /** Only after a failure. */
  #backoff: Backoff | undefined;
  #read: { object: T | undefined } | undefined;

  constructor(options: FetchedObjectOptions<T>) {
    this.#options = options;
    this.#begin();
  }

  get object(): T | undefined {
    return this.#read?.object;
  }

  get hasSettled(): boolean {
    return this.#read !== undefined;
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  async read(signal?: AbortSignal): Promise<T | undefined> {
    return await (this.#first ?? this.#fetch(signal));
  }

  /** Reads it in the background, because it has changed. */
  again(): void {
    if (this.#isStopped) return;
    if (this.#first === undefined) this.#begin();
    else this.#mustRepeat = true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#reading?.abort();
    this.#timer?.cancel();
  }

  #begin(): void {
    this.#timer?.cancel();
    this.#mustRepeat = false;
    const isSecond = this.#read !== undefined;
    this.#reading = new AbortController();
    const first = this.#fetch(this.#reading.signal);
    this.#first = first;
    const { readsAgain, random } = this.#options;
    const next = isSecond || !readsAgain ? undefined : SECOND_READ * (1 + random());
    first.then(
      () => {
        this.#backoff = undefined;
        this.#ended(next);
      },
      () => {
        this.#backoff ??= new Backoff({ ...RETRY, random });
        this.#ended(this.#backoff.next());
      },
    );
  }

  /** @param next milliseconds until the next read; undefined: none is needed */
  #ended(next: number | undefined): void {
    this.#first = undefined;
    this.#reading = undefined;
    if (this.#isStopped) return;
    if (this.#mustRepeat) this.#begin();
    else if (next !== undefined) {
      this.#timer = this.#options.clock.setTimeout(() => {
        this.#begin();
      }, next);
    }
  }

  async #fetch(signal?: AbortSignal): Promise<T | undefined> {
    const { client, kind, namespace, name, slots, isUrgent, onChange } = this.#options;
    const object = await slots.run(
      () => client.find(kind, { namespace, name }, signal === undefined ? {} : { signal }),
      { rank: isUrgent ? 'first' : 'last', signal },
    );
    const before = this.#read;
    this.#read = { object };
    const version = object?.metadata.resourceVersion;
    const isNews = before === undefined || before.object?.metadata.resourceVersion !== version;
    if (isNews && !this.#isStopped) onChange();
    return object;
  }
}
