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
  /** Called when another host certainly has the address of the lease; `by`: its MAC address. */
  onConfirmed: (record: LeaseRecord, by: string) => void;
  sampled: SampledLog;
  logger: Logger;
  signal: AbortSignal;
}

/** Concurrent lookups: a flood of DECLINEs must not cause a flood of ARP. */
const MAX_LOOKUPS = 4;

const UNCHECKED = 'The agent could not check this by ARP';

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
    // A lookup of this lease is in progress, and reports its result.
    if (this.#lookups.has(record.uid)) return;
    const { neighbours, sampled, logger } = this.#options;
    if (neighbours === undefined || this.#lookups.size >= MAX_LOOKUPS) {
      this.#unconfirmed(record, lease, UNCHECKED);
      return;
    }
    this.#lookUp(record, lease, neighbours).catch((error: unknown) => {
      sampled.line('lookup', (held) => {
        const address = formatIpv4(lease.ipAddress);
        logger.warn({ err: error, address, held }, 'the user of an address cannot be looked up');
      });
      this.#unconfirmed(record, lease, UNCHECKED);
    });
  }

  async #lookUp(record: LeaseRecord, lease: Lease, neighbours: Neighbours): Promise<void> {
    const { uid } = record;
    this.#lookups.add(uid);
    try {
      const found = await neighbours.lookUp(lease.ipAddress, lease.settings.serverAddress, this.#options.signal);
      if (found === undefined) {
        this.#unconfirmed(record, lease, 'No machine answers ARP requests for the address');
      } else if (found === lease.macAddress) {
        this.#unconfirmed(record, lease, 'Only this client answers ARP requests for the address');
      } else {
        this.#confirm(record, lease, macText(found));
      }
    } finally {
      this.#lookups.delete(uid);
    }
  }

  #unconfirmed(record: LeaseRecord, lease: Lease, finding: string): void {
    const message = `${macText(lease.macAddress)} sent a DHCP DECLINE of ${formatIpv4(lease.ipAddress)}. ${finding}, so the lease is not changed.`;
    this.#options.events.event(record.object, 'Warning', 'AddressDeclined', message);
  }

  #confirm(record: LeaseRecord, lease: Lease, by: string): void {
    const { events, poolOf, onConfirmed } = this.#options;
    const message = `${by} answers ARP requests for ${formatIpv4(lease.ipAddress)}, which is leased to ${macText(lease.macAddress)} and was declined by it.`;
    events.event(record.object, 'Warning', 'AddressConflict', message);
    const pool = poolOf(record);
    if (pool !== undefined) events.event(pool, 'Warning', 'AddressConflict', message);
    onConfirmed(record, by);
  }
}
