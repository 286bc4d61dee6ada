import { VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import {
  CachedWatch,
  type Clock,
  Controller,
  keyOf,
  type ObjectRef,
  type Result,
  self,
  sleep,
  source,
} from '@groundcrew/controller-runtime';
import type { BmcGauges } from './bmc-metrics.ts';
import type { BmcDependencies } from './bmc-parts.ts';
import { Bmc } from './bmc.ts';

export interface BmcSetOptions extends BmcDependencies {
  namespace: string;
  /** Name of the only BMC to serve. */
  name: string;
  ipmiPort: number;
  /** TCP port of Redfish over HTTPS; undefined: Redfish is not served. */
  redfishPort?: number;
  /** TCP port of Redfish over plain HTTP, for BMCs that enable it. */
  redfishHttpPort?: number;
}

/** Milliseconds after which a BMC is reconciled without a change. */
const RESYNC = 30_000;
/** Concurrent reconciles: a BMC that waits for the API server does not block the others. */
const WORKERS = 8;
/** Retry delays in milliseconds. Kept short: a BMC may have to wait until its port is free. */
const RATE_LIMIT = { base: 50, max: 10_000 };

const NO_GAUGES: BmcGauges = { sessions: { ipmi: 0, redfish: 0 }, certificateExpires: undefined };

/**
 * Runs one BMC for each VirtualMachineBMC while it exists. A dedicated agent serves a set of one and watches only
 * objects of that name.
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

  /** Serves until `signal` is aborted, which closes open sessions. Drain them first. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#resources.run(signal), this.#controller.run(signal)]);
    await Promise.all([...this.#running.values()].map((bmc) => bmc.close()));
    this.#running.clear();
  }

  /** Why the set is not fully served; undefined if it is. */
  get problem(): string | undefined {
    if (!this.#resources.hasSynced) return 'the Kubernetes API has not answered yet';
    const { namespace, name } = this.#options;
    const bmc = this.find({ namespace, name });
    return bmc === undefined ? `VirtualMachineBMC ${namespace}/${name} does not exist` : bmc.problem;
  }

  /** The running BMC; undefined if it does not run. */
  find(ref: ObjectRef): Bmc | undefined {
    return this.#running.get(keyOf(ref));
  }

  /** Clients that are logged in over IPMI. */
  get sessionCount(): number {
    return [...this.#running.values()].reduce((sum, bmc) => sum + bmc.sessionCount, 0);
  }

  /** Redfish connections; while draining, only those with a request in progress. */
  get connectionCount(): number {
    return [...this.#running.values()].reduce((sum, bmc) => sum + bmc.connectionCount, 0);
  }

  /** For metrics: of the BMC that is served. */
  get gauges(): BmcGauges {
    const { namespace, name } = this.#options;
    return this.find({ namespace, name })?.gauges ?? NO_GAUGES;
  }

  /** Refuses new logins and connections. */
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

/** A server with clients. */
export interface Drainable {
  /** Refuses new clients. */
  drain(): void;
  /** Clients that are logged in over IPMI. */
  readonly sessionCount: number;
  /** While draining: connections with a Redfish request in progress. */
  readonly connectionCount: number;
}

const NEVER = new AbortController().signal;
/** Poll interval in milliseconds. */
const PERIOD = 100;

/**
 * Refuses new clients and waits for the current ones.
 *
 * @param patience maximum wait in milliseconds
 */
export async function drained(
  clients: Drainable,
  { clock, patience }: { clock: Clock; patience: number },
): Promise<void> {
  clients.drain();
  // Count intervals: the wall clock may be changed during the wait.
  for (let waited = 0; waited < patience && clients.sessionCount + clients.connectionCount > 0; waited += PERIOD) {
    await sleep(clock, PERIOD, NEVER);
  }
}
