import { setTimeout as sleep } from 'node:timers/promises';
import {
  BMC_CONDITIONS,
  IP_LEASES,
  IP_POOL_CONDITIONS,
  IP_POOLS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  type IPLease,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import {
  CachedWatch,
  systemClock,
  type Condition,
  type KubeClient,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { NAMESPACE } from './objects.ts';

/** ms between two looks at what the watches have shown. */
const LOOK = 50;

/** What the API server has shown of a VM; times are those of `performance.now()`. */
export interface Sight {
  /** UIDs of its instances since the storm began: one for each start. */
  instances: Set<string>;
  /** UIDs of its instances before the storm. */
  earlier: Set<string>;
  /** First time at which an instance of the storm was Running. */
  running?: number;
  /** First time at which its guest had the address of its lease. */
  leased?: number;
}

/** Watches the fleet as a user of the API does. */
export class Observer {
  readonly #sights = new Map<string, Sight>();
  /** Leased addresses by VM. */
  readonly #leases = new Map<string, string>();
  readonly #ready = new Set<string>();
  /** Messages of the condition Ready of BMCs that are not. */
  readonly #troubles = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #caches: CachedWatch<never>[] = [];
  readonly #client: KubeClient;
  #served = false;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Resolves when it watches. */
  async start(): Promise<void> {
    this.#watch(VIRTUAL_MACHINE_BMCS, ({ metadata, status }, isDeleted) => {
      const { name } = metadata;
      const ready = status?.conditions?.find(({ type }) => type === BMC_CONDITIONS.ready);
      if (!isDeleted && ready?.status === 'True') this.#ready.add(name);
      else this.#ready.delete(name);
      this.#troubles.set(name, ready?.message ?? 'the manager has not looked at it');
    });
    this.#watch(IP_POOLS, ({ status }) => {
      this.#served = isTrue(status?.conditions, IP_POOL_CONDITIONS.ready);
    });
    this.#watch(IP_LEASES, (lease) => {
      this.#seeLease(lease);
    });
    this.#watch(VIRTUAL_MACHINE_INSTANCES, (instance, isDeleted) => {
      if (!isDeleted) this.#seeInstance(instance);
    });
    await Promise.all(this.#caches.map((cache) => cache.synced()));
  }

  /** Whether DHCP agents serve the network. */
  get isServed(): boolean {
    return this.#served;
  }

  /** Number of BMCs that are Ready. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Number of VMs with a lease of an address. */
  get allocated(): number {
    return this.#leases.size;
  }

  get running(): number {
    return this.#count(({ running }) => running !== undefined);
  }

  get leased(): number {
    return this.#count(({ leased }) => leased !== undefined);
  }

  /** Why the BMC of a VM is not Ready; undefined if it is. */
  troubleOf(vm: string): string | undefined {
    return this.#ready.has(vm) ? undefined : this.#troubles.get(vm);
  }

  sightOf(vm: string): Sight {
    const sight = this.#sights.get(vm) ?? { instances: new Set(), earlier: new Set() };
    this.#sights.set(vm, sight);
    return sight;
  }

  /** From now on only instances count that are made from now on. */
  beginStorm(): void {
    for (const [vm, { instances }] of this.#sights) this.#sights.set(vm, { instances: new Set(), earlier: instances });
  }

  /** Whether a VM has an instance of the storm, at once or within `patience` ms. */
  async hasStarted(vm: string, patience: number): Promise<boolean> {
    const deadline = performance.now() + patience;
    while (this.sightOf(vm).instances.size === 0) {
      if (performance.now() > deadline) return false;
      await sleep(LOOK);
    }
    return true;
  }

  close(): void {
    this.#stop.abort();
  }

  #watch<T extends KubeObject>(kind: Kind<T>, see: (object: T, isDeleted: boolean) => void): void {
    const client = this.#client;
    const cache = new CachedWatch({ client, kind, namespace: NAMESPACE, clock: systemClock, logger: silentLogger });
    cache.subscribe(({ type, object }) => {
      see(object, type === 'deleted');
    });
    void cache.run(this.#stop.signal);
    this.#caches.push(cache as unknown as CachedWatch<never>); // only to wait for it
  }

  #seeLease({ spec }: IPLease): void {
    if (spec.vmRef !== undefined) this.#leases.set(spec.vmRef.name, spec.ipAddress);
  }

  #seeInstance({ metadata, status }: VirtualMachineInstance): void {
    const sight = this.sightOf(metadata.name);
    const { uid = '' } = metadata;
    if (sight.earlier.has(uid)) return;
    sight.instances.add(uid);
    if (status?.phase !== 'Running') return;
    sight.running ??= performance.now();
    const lease = this.#leases.get(metadata.name);
    const hasAddress = status.interfaces?.some(({ ipAddress }) => ipAddress !== undefined && ipAddress === lease);
    if (hasAddress === true) sight.leased ??= performance.now();
  }

  #count(isIt: (sight: Sight) => boolean): number {
    return [...this.#sights.values()].filter(isIt).length;
  }
}

function isTrue(conditions: readonly Partial<Condition>[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}
