import { isDeepStrictEqual } from 'node:util';
import {
  isConflict,
  isNotFound,
  PODS,
  refOf,
  sleep,
  type Clock,
  type KubeClient,
  type Logger,
  type Pod,
} from '@groundcrew/controller-runtime';
import type { PodStatus } from './pod-status.ts';

export interface PodStatusWriterOptions {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** The pod as last seen, and its status as it is now. */
  read: () => { pod: Pod; status: PodStatus };
}

/** Milliseconds between attempts at a write that the API server did not take. */
const RETRY = 1000;

/** Writes a pod's status in the background: one write at a time, the latest state in each. */
export class PodStatusWriter {
  readonly #options: PodStatusWriterOptions;
  readonly #stopped = new AbortController();
  #writing: Promise<void> | undefined;
  #dirty = false;
  #last: PodStatus | undefined;

  constructor(options: PodStatusWriterOptions) {
    this.#options = options;
  }

  /** The status may have changed. */
  changed(): void {
    this.#dirty = true;
    if (this.#stopped.signal.aborted) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when nothing is left to write. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Writes no more; resolves when a write that is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { client, clock, logger, read } = this.#options;
    while (this.#dirty && !this.#stopped.signal.aborted) {
      this.#dirty = false;
      const { pod, status } = read();
      if (isDeepStrictEqual(status, this.#last)) continue;
      const { uid } = pod.metadata;
      try {
        // With its uid, so that a pod of the same name that came after is left alone.
        await client.patch(PODS, refOf(pod), 'merge', { metadata: { uid }, status }, { subresource: 'status' });
        this.#last = status;
      } catch (error) {
        if (isNotFound(error) || isConflict(error)) return;
        logger.warn({ err: error, pod: pod.metadata.name }, 'the status of a pod could not be written; trying again');
        this.#dirty = true;
        await sleep(clock, RETRY, this.#stopped.signal);
      }
    }
  }
}
