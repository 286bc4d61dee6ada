import {
  NETWORK_CONFIG_CONDITIONS,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigStatus,
} from '../../api/index.ts';
import { findCondition, type EventRecorder } from '@groundcrew/controller-runtime';
import { poolOf, type NetworkCaches } from '../networks/index.ts';
import { otherMachine } from './conditions/lease-state.ts';
import { REASONS } from './conditions/problems.ts';
import type { Release } from './conditions/plan.ts';

/** Reasons without an Event: temporary states, and states that a user has just requested. */
const QUIET = new Set<string>([REASONS.handingOver, REASONS.contended, REASONS.paused]);

/**
 * Emits Events for a failure and its end, each release, and each conflict. Failures and conflicts are also Events of the VM: its owner
 * may not know the config.
 */
export class ConditionEvents {
  readonly #events: EventRecorder;
  readonly #caches: Pick<NetworkCaches, 'pools' | 'virtualMachines'>;

  constructor(events: EventRecorder, caches: Pick<NetworkCaches, 'pools' | 'virtualMachines'>) {
    this.#events = events;
    this.#caches = caches;
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
    this.#tell(config, isGood ? 'Normal' : 'Warning', now.reason, now.message);
  }

  released(config: VirtualMachineNetworkConfig, releases: readonly Release[]): void {
    for (const { lease, why, retain } of releases) {
      const { ipAddress, macAddress } = lease.spec;
      if (why === 'Conflict') {
        const message = `${ipAddress} was leased to ${macAddress}, but ${otherMachine(lease)} answers ARP requests for it. ${macAddress} gets another address, and ${ipAddress} is in quarantine for a day.`;
        this.#tell(config, 'Warning', REASONS.addressConflict, message);
        const pool = this.#caches.pools.get(poolOf(lease));
        if (pool !== undefined) this.#events.event(pool, 'Warning', REASONS.addressConflict, message);
      } else if (retain === true) {
        const message = `${ipAddress} is kept for the next VirtualMachine ${config.spec.vmName}.`;
        this.#events.event(config, 'Normal', 'AddressRetained', message);
      } else {
        this.#events.event(config, 'Normal', 'AddressReleased', `${ipAddress} of ${macAddress} ${WHY[why]}`);
      }
    }
  }

  /** An Event of the config and of its VM, if that exists. */
  #tell(config: VirtualMachineNetworkConfig, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.event(config, type, reason, message);
    const { namespace = '' } = config.metadata;
    const vm = this.#caches.virtualMachines.get({ namespace, name: config.spec.vmName });
    if (vm !== undefined) this.#events.event(vm, type, reason, message);
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
