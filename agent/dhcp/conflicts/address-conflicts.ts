import type { EventRecorder, KubeObject, Logger } from '@groundcrew/controller-runtime';
import { formatIpv4 } from '../../../api/index.ts';
import type { Lease } from '../../../protocols/dhcp/index.ts';
import { macText } from '../mac-number.ts';
import type { SampledLog } from '../reports.ts';
import type { LeaseRecord } from '../store/lease-record.ts';
import type { Neighbours } from './neighbours.ts';

export interface AddressConflictsOptions {
  /** Absent: no conflict is ever confirmed. */
  neighbours?: Neighbours | undefined;
  events: EventRecorder;
  /** The pool of a lease; undefined if it is unknown. */
  poolOf: (record: LeaseRecord) => KubeObject | undefined;
  /** Called when another host certainly has the address of the lease. */
  onConfirmed: (record: LeaseRecord) => void;
  sampled: SampledLog;
  logger: Logger;
  signal: AbortSignal;
}

/** Concurrent lookups: a flood of DECLINEs must not cause a flood of ARP. */
const MAX_LOOKUPS = 4;

/**
 * Decides whether a DECLINE is genuine. Any host can forge any number of them, together with the client's other messages. So only an
 * ARP answer of another host confirms the conflict; otherwise a running machine would lose its address.
 */
export class AddressConflicts {
  readonly #options: AddressConflictsOptions;
  /** UIDs of leases. */
  readonly #lookups = new Set<string>();

  constructor(options: AddressConflictsOptions) {
    this.#options = options;
  }

  /** Returns at once and never throws. */
  declined(record: LeaseRecord, lease: Lease): void {
    const { events, sampled, logger } = this.#options;
    const address = formatIpv4(lease.ipAddress);
    const message = `${macText(lease.macAddress)} reports that another machine uses ${address}; only an ARP answer of that machine confirms it`;
    events.event(record.object, 'Warning', 'AddressDeclined', message);
    this.#lookUp(record, lease).catch((error: unknown) => {
      sampled.line('lookup', (held) => {
        logger.warn({ err: error, address, held }, 'the user of an address cannot be looked up');
      });
    });
  }

  async #lookUp(record: LeaseRecord, lease: Lease): Promise<void> {
    const { neighbours, signal } = this.#options;
    const { uid } = record;
    if (neighbours === undefined || this.#lookups.has(uid) || this.#lookups.size >= MAX_LOOKUPS) return;
    this.#lookups.add(uid);
    try {
      const found = await neighbours.lookUp(lease.ipAddress, lease.settings.serverAddress, signal);
      if (found === undefined || found === lease.macAddress) return;
      this.#confirm(
        record,
        `${macText(found)} answers for ${formatIpv4(lease.ipAddress)}, which is leased to ${macText(lease.macAddress)}`,
      );
    } finally {
      this.#lookups.delete(uid);
    }
  }

  #confirm(record: LeaseRecord, message: string): void {
    const { events, poolOf, onConfirmed } = this.#options;
    events.event(record.object, 'Warning', 'AddressConflict', message);
    const pool = poolOf(record);
    if (pool !== undefined) events.event(pool, 'Warning', 'AddressConflict', message);
    onConfirmed(record);
  }
}
