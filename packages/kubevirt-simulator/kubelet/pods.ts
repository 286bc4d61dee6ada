import { join } from 'node:path';
import type { Cache, Change, Logger, ObjectRef, Pod } from '@groundcrew/controller-runtime';
import type { ContainerLog } from './container-log.ts';
import type { PodAddresses } from './pod-addresses.ts';
import { PodWorker, type PodWorkerOptions } from './pod-worker.ts';

export interface PodsOptions extends Omit<PodWorkerOptions, 'pod' | 'podIp' | 'directory'> {
  /** The pods of this node. */
  pods: Cache<Pod>;
  addresses: PodAddresses;
  /** Folder for the folders of the pods. */
  directory: string;
  logger: Logger;
}

/** A pod that is run: first its address is found, then it has a worker. */
interface Entry {
  podIp?: string;
  worker?: PodWorker;
  /** Resolves when the worker is there, or the pod has gone before. */
  begun: Promise<void>;
}

/** Runs the pods of a node as they come and go. */
export class Pods {
  readonly #options: PodsOptions;
  /** By uid. */
  readonly #entries = new Map<string, Entry>();
  readonly #ending = new Set<Promise<void>>();
  #unsubscribe: () => void = () => undefined;

  constructor(options: PodsOptions) {
    this.#options = options;
  }

  /** Begins to follow the cache; resolves when the API server has been told how the pods are that were there before. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#options.pods.subscribe((change) => {
      this.#onChange(change);
    });
    await Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        await entry.begun;
        await entry.worker?.announced();
      }),
    );
  }

  /** A container's log, or why there is none. */
  findLog(ref: ObjectRef, container: string, previous: boolean): ContainerLog | 'NoPod' | 'NoContainer' | 'NoLog' {
    const uid = this.#options.pods.get(ref)?.metadata.uid ?? '';
    const worker = this.#entries.get(uid)?.worker;
    if (worker === undefined) return 'NoPod';
    if (!worker.hasContainer(container)) return 'NoContainer';
    return worker.log(container, previous) ?? 'NoLog';
  }

  /** Ends all pods' programs, `grace` milliseconds at most; the pods stay in the API server. */
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
    else if (!isOver(object)) this.#begin(uid, object);
  }

  #begin(uid: string, pod: Pod): void {
    const entry: Entry = { begun: Promise.resolve() };
    this.#entries.set(uid, entry);
    entry.begun = this.#allocate(uid, pod, entry).catch((error: unknown) => {
      const { events, logger } = this.#options;
      logger.error({ err: error, pod: pod.metadata.name }, 'a pod could not be begun');
      events.event(pod, 'Warning', 'FailedCreatePodSandBox', error instanceof Error ? error.message : String(error));
    });
  }

  async #allocate(uid: string, pod: Pod, entry: Entry): Promise<void> {
    const { addresses, directory, pods, ...shared } = this.#options;
    entry.podIp = await addresses.allocate();
    // It may have gone, or changed, while its address was looked for.
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
        this.#options.logger.error({ err: error, pod: uid }, 'what a pod left could not be removed');
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

/** A pod that has ended is not run again. One that is being deleted is taken up, to be removed. */
function isOver(pod: Pod): boolean {
  const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return ended && pod.metadata.deletionTimestamp === undefined;
}
