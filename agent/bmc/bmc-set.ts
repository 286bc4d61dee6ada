import { VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import {
  CachedWatch,
  Controller,
  keyOf,
  self,
  source,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import type { BmcDependencies } from './bmc-dependencies.ts';
import { Bmc } from './bmc.ts';

export interface BmcSetOptions extends BmcDependencies {
  namespace: string;
  /** The one BMC to serve. */
  name: string;
  ipmiPort: number;
  /** TCP port of Redfish over HTTPS; absent: Redfish is not served. */
  redfishPort?: number;
  /** TCP port of Redfish over plain HTTP, where the BMC wants it. */
  redfishHttpPort?: number;
}

/** Milliseconds after which a BMC is looked at although nothing has happened. */
const RESYNC = 30_000;
/** BMCs that are looked at at a time: one that waits for the API server holds up no other. */
const WORKERS = 8;
/** Of retries; milliseconds. A BMC that cannot bind its port yet is not to wait for minutes. */
const RATE_LIMIT = { base: 50, max: 10_000 };

/**
 * Turns VirtualMachineBMCs into running BMCs: one for each, for as long as it exists. A dedicated agent serves a set of
 * one; what it watches is narrowed to the name of that.
 */
export class BmcSet {
  readonly #options: BmcSetOptions;
  readonly #resources: CachedWatch<VirtualMachineBMC>;
  readonly #controller: Controller;
  readonly #running = new Map<string, Bmc>();

  constructor(options: BmcSetOptions) {
    const { client, namespace, name, clock, logger } = options;
    this.#options = options;
    this.#resources = new CachedWatch({
      client,
      kind: VIRTUAL_MACHINE_BMCS,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      clock,
      logger,
    });
    this.#controller = new Controller({
      name: 'bmc',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [source(this.#resources, self)],
      workers: WORKERS,
      clock,
      logger,
      rateLimit: RATE_LIMIT,
    });
  }

  /** Serves until `signal` is aborted; sessions that are open then are cut. See that they are drained first. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#resources.run(signal), this.#controller.run(signal)]);
    await Promise.all([...this.#running.values()].map((bmc) => bmc.close()));
    this.#running.clear();
  }

  /** What keeps the set from being served whole; undefined where nothing does. */
  get problem(): string | undefined {
    if (!this.#resources.hasSynced) return 'the Kubernetes API has not answered yet';
    const { namespace, name } = this.#options;
    const bmc = this.find({ namespace, name });
    return bmc === undefined ? `VirtualMachineBMC ${namespace}/${name} does not exist` : bmc.problem;
  }

  /** The BMC as it runs; undefined where it does not. */
  find(ref: ObjectRef): Bmc | undefined {
    return this.#running.get(keyOf(ref));
  }

  /** Clients that are logged in over IPMI. */
  get sessionCount(): number {
    return [...this.#running.values()].reduce((sum, bmc) => sum + bmc.sessionCount, 0);
  }

  /** Connections of Redfish; once they drain, those whose requests are being answered. */
  get connectionCount(): number {
    return [...this.#running.values()].reduce((sum, bmc) => sum + bmc.connectionCount, 0);
  }

  /** Lets nobody log in or connect any more. */
  drain(): void {
    for (const bmc of this.#running.values()) bmc.drain();
  }

  async #reconcile(ref: ObjectRef): Promise<Result> {
    const key = keyOf(ref);
    const resource = this.#resources.get(ref);
    let bmc = this.#running.get(key);
    if (bmc !== undefined && (resource === undefined || !bmc.serves(resource))) {
      this.#running.delete(key);
      await bmc.close();
      bmc = undefined;
    }
    if (resource === undefined) return {};
    bmc ??= this.#start(ref, resource);
    await bmc.reconcile(resource);
    return { requeueAfter: Math.min(RESYNC, bmc.dueIn ?? RESYNC) };
  }

  #start(ref: ObjectRef, resource: VirtualMachineBMC): Bmc {
    const bmc = new Bmc({
      ...this.#options,
      bmc: resource,
      latest: () => this.#resources.get(ref),
      wake: () => {
        this.#controller.enqueue(ref);
      },
    });
    this.#running.set(keyOf(ref), bmc);
    return bmc;
  }
}
