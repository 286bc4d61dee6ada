import { join } from 'node:path';
import type { Cache, Change, Logger, ObjectRef, Pod } from '@groundcrew/controller-runtime';
import type { ContainerLog } from './container-log.ts';
import type { PodAddresses } from './pod-addresses.ts';
import { PodWorker, type PodWorkerOptions } from './pod-worker.ts';

export interface PodsOptions extends Omit<PodWorkerOptions, 'pod' | 'podIp' | 'directory'> {
  /** Pods of this node. */
  pods: Cache<Pod>;
  addresses: PodAddresses;
  /** Folder for the folders of the pods. */
  directory: string;
  logger: Logger;
}

/** A pod on this node: it gets an address, then a worker. */
interface Entry {
  podIp?: string;
  worker?: PodWorker;
  /** Resolves when the worker exists, or the pod was removed before. */
  begun: Promise<void>;
}

/** Runs the pods of a node. */
export class Pods {
  readonly #options: PodsOptions;
  /** By uid. */
  readonly #entries = new Map<string, Entry>();
  readonly #ending = new Set<Promise<void>>();
  #unsubscribe: () => void = () => undefined;

  constructor(options: PodsOptions) {
    this.#options = options;
  }

  /** Starts to follow the cache; resolves when the status of the pods that exist already is written. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#options.pods.subscribe((change) => {
      this.#onChange(change);
    });
    // The cache tells in a microtask which exist.
    await Promise.resolve();
    await Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        await entry.begun;
        await entry.worker?.announced();
      }),
    );
  }

  /** A container's log, or the reason why there is none. */
  findLog(ref: ObjectRef, container: string, previous: boolean): ContainerLog | 'NoPod' | 'NoContainer' | 'NoLog' {
    const uid = this.#options.pods.get(ref)?.metadata.uid ?? '';
    const worker = this.#entries.get(uid)?.worker;
    if (worker === undefined) return 'NoPod';
    if (!worker.hasContainer(container)) return 'NoContainer';
    return worker.log(container, previous) ?? 'NoLog';
  }

  /** Ends the programs of all pods within `grace` milliseconds; the pods stay in the API server. */
  async close(grace: number): Promise<void> {
    this.#unsubscribe();
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.allSettled(
      entries.map(async (entry) => {
        await entry.begun;
        await entry.worker?.close(grace);
        this.#release(entry);
      }),
    );
    await Promise.allSettled(this.#ending);
  }

  #onChange({ type, object }: Change<Pod>): void {
    const uid = object.metadata.uid ?? '';
    const entry = this.#entries.get(uid);
    if (type === 'deleted') {
      if (entry !== undefined) this.#forget(uid, entry);
    } else if (entry !== undefined) entry.worker?.update(object);
    else this.#begin(uid, object);
  }

  #begin(uid: string, pod: Pod): void {
    const entry: Entry = { begun: Promise.resolve() };
    this.#entries.set(uid, entry);
    entry.begun = this.#allocate(uid, pod, entry).catch((error: unknown) => {
      const { events, logger } = this.#options;
      logger.error({ err: error, pod: pod.metadata.name }, 'a pod could not be started');
      events.event(pod, 'Warning', 'FailedCreatePodSandBox', error instanceof Error ? error.message : String(error));
    });
  }

  async #allocate(uid: string, pod: Pod, entry: Entry): Promise<void> {
    const { addresses, directory, pods, ...shared } = this.#options;
    entry.podIp = await addresses.allocate();
    // The pod may have been removed or changed in the meantime.
    if (this.#entries.get(uid) !== entry) return;
    const present = pods.get(pod.metadata) ?? pod;
    entry.worker = new PodWorker({ ...shared, pod: present, podIp: entry.podIp, directory: join(directory, uid) });
    entry.worker.update(present);
  }

  #forget(uid: string, entry: Entry): void {
    this.#entries.delete(uid);
    const ended = entry.begun
      .then(() => entry.worker?.forget())
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error, pod: uid }, 'the files of a pod could not be removed');
      })
      .finally(() => {
        this.#release(entry);
        this.#ending.delete(ended);
      });
    this.#ending.add(ended);
  }

  #release({ podIp }: Entry): void {
    if (podIp !== undefined) this.#options.addresses.release(podIp);
  }
}
