import {
  ANNOTATIONS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type IPLease,
  type IPPool,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import {
  ApiError,
  isNotFound,
  type Cache,
  type EventRecorder,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { poolOf } from '../../networks/index.ts';
import { isReleased, isRetained } from '../conditions/lease-state.ts';
import { freeAt } from './free-at.ts';
import { release, remove, type LeaseWriter } from './release.ts';

export interface LeaseReconcilerOptions extends LeaseWriter {
  pools: Cache<IPPool>;
  configs: Cache<VirtualMachineNetworkConfig>;
  events: EventRecorder;
  logger: Logger;
  /** Milliseconds that agents have to stop serving a lease that was let go. */
  grace: number;
  /** Until when the API server was away, which is now while it is, milliseconds since 1970; undefined: it never was. */
  awayUntil: () => number | undefined;
  /** Milliseconds that agents have after that to hear what was let go, and to tell what they acknowledged in the outage. */
  returnGrace: number;
}

/** A config that the server has and the cache has not: milliseconds after which to look whether that is still so. */
const LOOK_AGAIN = 5000;

/** The longest that a timer is set for, milliseconds: Node's end at 24.8 days. */
const LONGEST = 86_400_000;

/** Ends leases: those that were let go when their addresses are free, and lets go those that nobody asks for any more. */
export class LeaseReconciler {
  readonly #options: LeaseReconcilerOptions;

  constructor(options: LeaseReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const lease = this.#options.leases.get(ref);
    if (lease === undefined || lease.metadata.deletionTimestamp !== undefined) return undefined;
    try {
      return isReleased(lease) ? await this.#end(lease) : await this.#askFor(lease);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #end(lease: IPLease): Promise<Result | undefined> {
    const { pools, clock, grace, awayUntil, returnGrace, logger } = this.#options;
    // Somebody else has set the label: from now on, as nobody knows since when.
    if (lease.metadata.annotations?.[ANNOTATIONS.releasedAt] === undefined) {
      await release(lease, this.#options);
      return { requeueAfter: grace };
    }
    const told = (awayUntil() ?? -Infinity) + returnGrace;
    const wait = Math.max(freeAt(lease, pools.get(poolOf(lease)), grace), told) - clock.now();
    if (wait > 0) return { requeueAfter: Math.min(wait, LONGEST) };
    await remove(lease, this.#options);
    logger.debug({ lease: lease.metadata.name }, 'an address is free');
    return undefined;
  }

  /** A lease whose config is gone is nobody's, unless it is kept. One that names no config is a person's: not ours to end. */
  async #askFor(lease: IPLease): Promise<Result | undefined> {
    const { configs, client, events } = this.#options;
    const { vmNetworkConfigRef: ref, ipAddress, macAddress } = lease.spec;
    if (ref?.namespace === undefined || isRetained(lease)) return undefined;
    const at = { namespace: ref.namespace, name: ref.name };
    // Those that are there say for themselves what they want.
    if (configs.get(at) !== undefined) return undefined;
    // A cache may be behind; an address is taken from nobody on its word alone.
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

/** Where only some namespaces are watched, a config in another may not be read: another manager's. */
function notOurs(error: unknown): 'NotOurs' {
  if (error instanceof ApiError && error.status === 403) return 'NotOurs';
  throw error;
}
