import {
  NETWORK_CONFIG_CONDITIONS,
  type IPPool,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigStatus,
} from '../../api/index.ts';
import { findCondition, type Cache, type EventRecorder } from '@groundcrew/controller-runtime';
import { poolOf } from '../networks/index.ts';
import { REASONS } from './conditions/problems.ts';
import type { Release } from './conditions/plan.ts';

/** Reasons without an Event: temporary states, and states that a user has just requested. */
const QUIET = new Set<string>([REASONS.handingOver, REASONS.contended, REASONS.paused]);

/** Emits Events for a failure and its end, each release, and each conflict. */
export class ConditionEvents {
  readonly #events: EventRecorder;
  readonly #pools: Cache<IPPool>;

  constructor(events: EventRecorder, pools: Cache<IPPool>) {
    this.#events = events;
    this.#pools = pools;
  }

  /**
   * @param config as before
   * @param status as written since
   */
  turned(config: VirtualMachineNetworkConfig, status: VirtualMachineNetworkConfigStatus): void {
    const type = NETWORK_CONFIG_CONDITIONS.allocated;
    const before = findCondition(config.status?.conditions, type);
    const now = findCondition(status.conditions, type);
    if (now === undefined || (before?.status === now.status && before.reason === now.reason)) return;
    const isGood = now.reason === REASONS.allocated;
    // No Event if a new config gets its addresses at once.
    if (QUIET.has(now.reason) || (isGood && (before === undefined || QUIET.has(before.reason)))) return;
    this.#events.event(config, isGood ? 'Normal' : 'Warning', now.reason, now.message);
  }

  released(config: VirtualMachineNetworkConfig, releases: readonly Release[]): void {
    for (const { lease, why, retain } of releases) {
      const { ipAddress, macAddress } = lease.spec;
      if (why === 'Conflict') {
        const message = `Another machine on the network answers for ${ipAddress}: ${macAddress} gets another address, and ${ipAddress} is not leased for a day.`;
        this.#events.event(config, 'Warning', REASONS.addressConflict, message);
        const pool = this.#pools.get(poolOf(lease));
        if (pool !== undefined) this.#events.event(pool, 'Warning', REASONS.addressConflict, message);
      } else if (retain === true) {
        const message = `${ipAddress} is kept for the next VirtualMachine ${config.spec.vmName}.`;
        this.#events.event(config, 'Normal', 'AddressRetained', message);
      } else {
        this.#events.event(config, 'Normal', 'AddressReleased', `${ipAddress} of ${macAddress} ${WHY[why]}`);
      }
    }
  }
}

const WHY = {
  Unwanted: 'is released: no interface requests it any more.',
  Moved: 'is released: its interface has another address.',
  Refused: 'is released: the MAC address belongs to another config.',
  Paused: 'is released: spec.paused is true.',
  Unbacked: 'is released: its VirtualMachine is gone or does not have the interface.',
  Displaced: 'is released: the MAC address belongs to the VirtualMachine of this config.',
  Deleted: 'is released: this config is being deleted.',
} as const;
