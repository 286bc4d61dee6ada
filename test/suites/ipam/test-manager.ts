import { createNetworkCaches, type NetworkCaches } from '../../../manager/networks/index.ts';
import { virtualMachineNetworkConfigControllers } from '../../../manager/virtualmachinenetworkconfig/index.ts';
import { EventRecorder, KubeClient, Runtime, systemClock, type Clock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import type { FaultyTransport } from '../../harness/faulty-transport.ts';

export interface TestManagerOptions {
  namespace: string;
  /** Milliseconds; default 100. */
  releaseGrace?: number;
  /** Milliseconds; default 200. */
  returnGrace?: number;
  /** Default: the system's. */
  clock?: Clock;
}

/** The controllers under test in this process, with separate caches and a connection that can be cut. */
export class TestManager {
  readonly transport: FaultyTransport;
  readonly caches: NetworkCaches;
  readonly #events: EventRecorder;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(
    transport: FaultyTransport,
    { namespace, releaseGrace = 100, returnGrace = 200, clock = systemClock }: TestManagerOptions,
  ) {
    const client = new KubeClient({ transport, fieldManager: 'groundcrew-manager' });
    const common = { client, clock, logger: silentLogger };
    this.transport = transport;
    this.#events = new EventRecorder({ ...common, component: 'groundcrew-manager' });
    this.caches = createNetworkCaches({ ...common, namespaces: [namespace] });
    const controllers = virtualMachineNetworkConfigControllers({
      ...common,
      caches: this.caches,
      events: this.#events,
      releaseGrace,
      returnGrace,
    });
    const runtime = new Runtime(common);
    for (const cache of this.caches.all) runtime.addCache(cache);
    for (const controller of controllers) runtime.addController(controller);
    this.#ended = runtime.run(this.#stop.signal);
  }

  /** Stops it after the work in progress. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    if (this.transport.isDead) return;
    await this.#events.flush();
    await this.transport.close();
  }
}
