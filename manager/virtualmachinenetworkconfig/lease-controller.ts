import {
  ANNOTATIONS,
  isQuarantined,
  isReleased,
  isRetained,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type IPLease,
  type VirtualMachineNetworkConfig,
  type IPPool,
} from '../../api/index.ts';
import {
  Controller,
  keyOf,
  self,
  source,
  ApiError,
  NAMESPACES,
  unlessGone,
  type Metrics,
  type Predicate,
  type Cache,
  type EventRecorder,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { BY_CONFIG, RETRIES, poolOf, type NetworkCaches } from '../networks/index.ts';
import { freeAt, release, remove, setState, type LeaseWriter } from './lease-release.ts';
import { mayBeQuarantined } from './quarantine.ts';

interface LeaseControllerOptions extends Omit<LeaseReconcilerOptions, 'pools' | 'configs' | 'awayUntil'> {
  caches: Pick<NetworkCaches, 'leases' | 'configs' | 'pools' | 'leasesAwayUntil'>;
  metrics?: Metrics | undefined;
  /** Concurrent reconciles of leases. */
  workers: number;
}

/** The controller that ends IPLeases. */
export function leaseController(options: LeaseControllerOptions): Controller {
  const { caches, clock, logger, metrics, workers } = options;
  const reconciler = new LeaseReconciler({
    ...options,
    pools: caches.pools,
    configs: caches.configs,
    awayUntil: () => caches.leasesAwayUntil(),
  });
  return new Controller({
    name: 'iplease',
    reconcile: async (ref) => await reconciler.reconcile(ref),
    sources: [
      source(caches.leases, self, concernsItsEnd),
      source<VirtualMachineNetworkConfig>(
        caches.configs,
        ({ metadata }) => caches.leases.refsByIndex(BY_CONFIG, keyOf(metadata)),
        ({ type }) => type === 'deleted',
      ),
    ],
    workers,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
}

/** Ignores the agents' frequent reports about active leases. */
const concernsItsEnd: Predicate<IPLease> = (change) =>
  change.type !== 'modified' || isMarked(change.object) || isMarked(change.previous);

function isMarked(lease: IPLease): boolean {
  return isReleased(lease) || isRetained(lease);
}

interface LeaseReconcilerOptions extends LeaseWriter {
  pools: Cache<IPPool>;
  configs: Cache<VirtualMachineNetworkConfig>;
  events: EventRecorder;
  logger: Logger;
  /** Milliseconds in which agents stop serving a released lease. */
  grace: number;
  /** End of the last API server outage, milliseconds since 1970: now during an outage; undefined: there was none. */
  awayUntil: () => number | undefined;
  /** Milliseconds after an outage for agents to receive releases and to report acknowledgements during the outage. */
  returnGrace: number;
}

/** Milliseconds until the next check of a config that the server has and the cache does not. */
const LOOK_AGAIN = 5000;

/** Milliseconds between two checks for the namespace of a retained lease. */
const NAMESPACE_CHECK = 600_000;

/** Maximum timer duration, milliseconds: Node's limit is 24.8 days. */
const LONGEST = 86_400_000;

/** Deletes released leases when their addresses are free, and releases leases without a config. */
class LeaseReconciler {
  readonly #options: LeaseReconcilerOptions;

  constructor(options: LeaseReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const lease = this.#options.leases.get(ref);
    if (lease === undefined || lease.metadata.deletionTimestamp !== undefined) return undefined;
    return await unlessGone(async () => {
      if (isReleased(lease)) return await this.#end(lease);
      // Taken back: the client may still have it. An agent reports the next acknowledgement.
      if (lease.status?.state === 'Resting') await setState(lease, 'Bound', this.#options);
      return isRetained(lease) ? await this.#keep(lease) : await this.#askFor(lease);
    });
  }

  async #end(lease: IPLease): Promise<Result | undefined> {
    const { pools, leases, clock, grace, awayUntil, returnGrace, logger } = this.#options;
    // Another client has set the label: count from now, since the time is unknown.
    if (lease.metadata.annotations?.[ANNOTATIONS.releasedAt] === undefined) {
      await release(lease, this.#options);
      return { requeueAfter: grace };
    }
    const told = (awayUntil() ?? -Infinity) + returnGrace;
    const pool = pools.get(poolOf(lease));
    const mayStay = isQuarantined(lease) && mayBeQuarantined(lease, pool, leases);
    const wait = Math.max(freeAt(lease, pool, grace, mayStay), told) - clock.now();
    if (wait > grace && lease.status?.state === 'Bound') await setState(lease, 'Resting', this.#options);
    if (wait > 0) return { requeueAfter: Math.min(wait, LONGEST) };
    await remove(lease, this.#options);
    logger.debug({ lease: lease.metadata.name }, 'an address is free');
    return undefined;
  }

  /** Releases a retained lease when the namespace of its VM is gone. The manager does not watch namespaces, so it asks for it. */
  async #keep(lease: IPLease): Promise<Result | undefined> {
    const { client, events } = this.#options;
    const { namespace } = lease.spec.vmRef ?? {};
    // The lease ends with its own namespace.
    if (namespace === undefined || namespace === lease.metadata.namespace) return undefined;
    const found = await client.find(NAMESPACES, { name: namespace }).catch(notOurs);
    if (found === 'NotOurs') return undefined;
    const { deletionTimestamp, creationTimestamp = '' } = found?.metadata ?? {};
    const isSame = found !== undefined && creationTimestamp <= (lease.metadata.creationTimestamp ?? '');
    if (isSame && deletionTimestamp === undefined) return { requeueAfter: NAMESPACE_CHECK };
    await release(lease, this.#options);
    const message = `Namespace ${namespace}, for whose VirtualMachine ${lease.spec.vmRef?.name ?? ''} it was kept, is gone.`;
    events.event(lease, 'Normal', 'LeaseOrphaned', message);
    return undefined;
  }

  /** Releases a lease whose config is gone, unless it is retained. A lease without a config reference was created by a user and is kept. */
  async #askFor(lease: IPLease): Promise<Result | undefined> {
    const { configs, client, events } = this.#options;
    const { vmNetworkConfigRef: ref, ipAddress, macAddress } = lease.spec;
    if (ref?.namespace === undefined) return undefined;
    const at = { namespace: ref.namespace, name: ref.name };
    // An existing config manages its leases itself.
    if (configs.get(at) !== undefined) return undefined;
    // The cache may be behind, so ask the server before the lease is released.
    const asksFor = await client.find(VIRTUAL_MACHINE_NETWORK_CONFIGS, at).catch(notOurs);
    if (asksFor === 'NotOurs') return undefined;
    if (asksFor !== undefined) return { requeueAfter: LOOK_AGAIN };
    await release(lease, this.#options);
    events.event(
      lease,
      'Normal',
      'LeaseOrphaned',
      `VirtualMachineNetworkConfig ${at.namespace}/${at.name} is gone: ${ipAddress} is taken from ${macAddress}.`,
    );
    return undefined;
  }
}

/** If only some namespaces are watched, a config in another one may not be readable; another manager handles it. */
function notOurs(error: unknown): 'NotOurs' {
  if (error instanceof ApiError && error.status === 403) return 'NotOurs';
  throw error;
}
