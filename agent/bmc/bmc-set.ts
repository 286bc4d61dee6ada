import type { VirtualMachineBMC } from '../../api/index.ts';
import {
  type Cache,
  type Clock,
  Controller,
  keyOf,
  type ObjectRef,
  type Result,
  self,
  sleep,
  type Source,
  source,
} from '@groundcrew/controller-runtime';
import type { BmcGauges } from './bmc-metrics.ts';
import type { BmcDependencies } from './bmc-parts.ts';
import { Bmc, type BmcOptions, type BmcPorts } from './bmc.ts';

export interface BmcSetOptions extends BmcDependencies, Pick<BmcOptions, 'acts' | 'tellsProblems'> {
  resources: Cache<VirtualMachineBMC>;
  members: Members;
}

/** Which BMCs an agent serves. */
export interface Members {
  /** The BMCs that should be served. */
  readonly names: Iterable<string>;
  /** What the agent has for a BMC; undefined: it does not serve it. */
  placeOf(bmc: VirtualMachineBMC): BmcPlace | undefined;
  /** Enqueues BMCs whose place may have changed. */
  readonly changes?: Source;
}

export interface BmcPlace extends BmcPorts, Pick<BmcOptions, 'watches'> {
  /** What a BMC that starts has besides. */
  readonly own?: () => Partial<Pick<BmcOptions, 'client' | 'share'>>;
}

/** Milliseconds after which a BMC is reconciled without a change, more or less, so that many BMCs spread over time. */
const RESYNC = 30_000;
/**
 * BMCs that are served, and that act, at the same time. A client's command waits until its machine has acted, so that no more act than
 * requests run at a time.
 */
const WORKERS = { serve: 8, act: 16 };
/** Retry delays in milliseconds. Kept short: a BMC may have to wait until its port is free. */
const RATE_LIMIT = { base: 50, max: 10_000 };
/** Milliseconds from a client's restart request to the restart. */
const RESTART_DELAY = 500;

/** Runs one BMC for each member of a set while it exists. A dedicated agent has a set of one. */
export class BmcSet {
  readonly #options: BmcSetOptions;
  readonly #namespace: string;
  readonly #serving: Controller;
  /** Apart: in a storm, its requests to the API server must not keep other BMCs from being served. */
  readonly #acting: Controller;
  readonly #running = new Map<string, { bmc: Bmc; ports: string }>();
  /** BMCs whose ports were opened, or could not be opened. */
  readonly #tried = new Set<string>();
  /** BMCs that a client has restarted. */
  readonly #restarts = new Set<string>();

  constructor(options: BmcSetOptions & { namespace: string }) {
    const { resources, members, namespace, clock, logger } = options;
    const restart = (ref: ObjectRef): void => {
      this.#restartLater(ref);
    };
    this.#options = { restart, ...options };
    this.#namespace = namespace;
    const ways = { clock, logger, rateLimit: RATE_LIMIT };
    this.#serving = new Controller({
      name: 'bmc',
      reconcile: (ref) => this.#serve(ref),
      sources: [source(resources, self), ...(members.changes === undefined ? [] : [members.changes])],
      workers: WORKERS.serve,
      ...ways,
    });
    this.#acting = new Controller({
      name: 'bmc-background',
      reconcile: (ref) => this.#act(ref),
      sources: [],
      workers: WORKERS.act,
      ...ways,
    });
  }

  /** Serves until `signal` is aborted, which closes open sessions. Drain them first. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#serving.run(signal), this.#acting.run(signal)]);
    await Promise.all([...this.#running.values()].map(({ bmc }) => bmc.close()));
    this.#running.clear();
  }

  /** Why the set is not fully served; undefined if it is. */
  get problem(): string | undefined {
    if (!this.#options.resources.hasSynced) return 'the Kubernetes API has not answered yet';
    for (const name of this.#options.members.names) {
      const ref = { namespace: this.#namespace, name };
      const bmc = this.find(ref);
      const problem = bmc === undefined ? `VirtualMachineBMC ${keyOf(ref)} does not exist` : bmc.problem;
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Whether the ports of all members are open, or cannot be opened now. */
  get hasStarted(): boolean {
    const { resources, members } = this.#options;
    for (const name of members.names) {
      const ref = { namespace: this.#namespace, name };
      if (!this.#tried.has(keyOf(ref)) && resources.get(ref) !== undefined) return false;
    }
    return true;
  }

  /** The running BMC; undefined if it does not run. */
  find(ref: ObjectRef): Bmc | undefined {
    return this.#running.get(keyOf(ref))?.bmc;
  }

  /** Clients that are logged in over IPMI. */
  get sessionCount(): number {
    return this.#all.reduce((sum, bmc) => sum + bmc.sessionCount, 0);
  }

  /** Redfish connections; while draining, only those with a request in progress. */
  get connectionCount(): number {
    return this.#all.reduce((sum, bmc) => sum + bmc.connectionCount, 0);
  }

  /** For metrics. They do not grow with the number of BMCs. */
  get gauges(): BmcGauges {
    const sessions = { ipmi: 0, redfish: 0 };
    const bmcs = { served: 0, failing: 0 };
    let certificateExpires: number | undefined;
    for (const bmc of this.#all) {
      const { gauges } = bmc;
      sessions.ipmi += gauges.sessions.ipmi;
      sessions.redfish += gauges.sessions.redfish;
      bmcs[bmc.problem === undefined ? 'served' : 'failing'] += 1;
      if (gauges.certificateExpires !== undefined)
        certificateExpires = Math.min(gauges.certificateExpires, certificateExpires ?? Infinity);
    }
    return { sessions, bmcs, certificateExpires };
  }

  /** Reconciles all BMCs soon. */
  wake(): void {
    for (const name of this.#options.members.names) this.#serving.enqueue({ namespace: this.#namespace, name });
  }

  /** Refuses new logins and connections. */
  drain(): void {
    for (const bmc of this.#all) bmc.drain();
  }

  get #all(): Bmc[] {
    return [...this.#running.values()].map(({ bmc }) => bmc);
  }

  async #serve(ref: ObjectRef): Promise<Result> {
    const key = keyOf(ref);
    const resource = this.#options.resources.get(ref);
    const place = resource && this.#options.members.placeOf(resource);
    const ports = portsOf(place);
    let running = this.#running.get(key);
    const restarts = this.#restarts.delete(key);
    if (running !== undefined && (restarts || running.ports !== ports || !running.bmc.serves(resource))) {
      this.#running.delete(key);
      await running.bmc.close();
      running = undefined;
    }
    if (resource === undefined || place === undefined) {
      this.#tried.delete(key);
      return {};
    }
    running ??= this.#start(ref, resource, place);
    try {
      if (await running.bmc.serve(resource)) this.#hasTried(ref);
    } catch (error) {
      this.#hasTried(ref);
      throw error;
    }
    const spread = 0.75 + (this.#options.random(1).readUInt8() / 255) * 0.5;
    return { requeueAfter: RESYNC * spread };
  }

  #hasTried(ref: ObjectRef): void {
    this.#tried.add(keyOf(ref));
    this.#acting.enqueue(ref);
  }

  async #act(ref: ObjectRef): Promise<Result> {
    const resource = this.#options.resources.get(ref);
    const bmc = this.find(ref);
    if (resource === undefined || bmc?.serves(resource) !== true) return {};
    const requeueAfter = await bmc.act(resource);
    return requeueAfter === undefined ? {} : { requeueAfter };
  }

  #start(ref: ObjectRef, resource: VirtualMachineBMC, place: BmcPlace): { bmc: Bmc; ports: string } {
    const bmc = new Bmc({
      ...this.#options,
      ...place,
      ...place.own?.(),
      bmc: coreOf(resource),
      latest: () => this.#options.resources.get(ref),
      wake: () => {
        this.#serving.enqueue(ref);
      },
    });
    const running = { bmc, ports: portsOf(place) };
    this.#running.set(keyOf(ref), running);
    return running;
  }

  /** The other BMCs go on. The delay is for the response. */
  #restartLater(ref: ObjectRef): void {
    const { clock, logger } = this.#options;
    logger.info({ object: keyOf(ref) }, 'a client requested a restart');
    this.find(ref)?.drain();
    clock.setTimeout(() => {
      this.#restarts.add(keyOf(ref));
      this.#serving.enqueue(ref);
    }, RESTART_DELAY);
  }
}

/** Without what changes, which would stay in memory as it was at the start. */
function coreOf({ apiVersion, kind, metadata, spec }: VirtualMachineBMC): VirtualMachineBMC {
  const { namespace = '', name, uid = '' } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid }, spec };
}

function portsOf(place: BmcPorts | undefined): string {
  return [place?.ipmiPort, place?.redfishPort, place?.redfishHttpPort].join();
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
