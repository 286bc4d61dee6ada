import type { EventRecorder, KubeObject, Logger } from '@groundcrew/controller-runtime';
import { formatIpv4 } from '../../../api/index.ts';
import type { Lease } from '../../../protocols/dhcp/index.ts';
import { macText } from '../mac-number.ts';
import type { SampledLog } from '../reports.ts';
import type { LeaseRecord } from '../store/lease-record.ts';
import type { Neighbours } from './neighbours.ts';

export interface AddressConflictsOptions {
  /** Absent: only repeated DECLINEs count. */
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

/** Maximum number of clients whose DECLINEs are remembered. */
const MAX_DECLINES = 1000;
/** Concurrent lookups: a flood of DECLINEs must not cause a flood of ARP. */
const MAX_LOOKUPS = 4;

/**
 * Decides whether a DECLINE is genuine. Any host can forge one, so a single DECLINE is not enough: it takes two that
 * are ten seconds apart, or another host that answers for the address.
 */
export class AddressConflicts {
  readonly #options: AddressConflictsOptions;
  /** Time of the first DECLINE by UID of the lease, oldest first. */
  readonly #declines = new Map<string, number>();
  readonly #lookups = new Set<string>();

  constructor(options: AddressConflictsOptions) {
    this.#options = options;
  }

  /** Returns at once and never throws. `now` in ms of a clock that never goes back. */
  declined(record: LeaseRecord, lease: Lease, now: number): void {
    const { uid } = record;
    const { since, isConfirmed } = evaluateDecline(this.#declines.get(uid), now);
    this.#declines.delete(uid);
    this.#declines.set(uid, since);
    const [oldest] = this.#declines.keys();
    if (this.#declines.size > MAX_DECLINES && oldest !== undefined) this.#declines.delete(oldest);
    const mac = macText(lease.macAddress);
    const address = formatIpv4(lease.ipAddress);
    if (isConfirmed) {
      this.#confirm(record, `${mac} reported twice that another machine uses ${address}`);
      return;
    }
    const message = `${mac} reports that another machine uses ${address}; a second report or an ARP answer confirms it`;
    this.#options.events.event(record.object, 'Warning', 'AddressDeclined', message);
    this.#lookUp(record, lease).catch((error: unknown) => {
      const { sampled, logger } = this.#options;
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
    this.#declines.delete(record.uid);
    events.event(record.object, 'Warning', 'AddressConflict', message);
    const pool = poolOf(record);
    if (pool !== undefined) events.event(pool, 'Warning', 'AddressConflict', message);
    onConfirmed(record);
  }
}

/** Minimum ms between two DECLINEs that count separately: a client that finds its address in use waits ten seconds (RFC 2131 §3.1). */
const APART = 10_000;
/** Milliseconds after which a DECLINE is forgotten. */
const MEMORY = 600_000;

export interface DeclineVerdict {
  /** Time of the first DECLINE that counts. */
  since: number;
  /** Another host has the address. One DECLINE can be forged; between two, the client requests an address again. */
  isConfirmed: boolean;
}

/**
 * Evaluates one more DECLINE of a lease.
 *
 * @param since of the previous verdict; undefined for the first DECLINE
 * @param now ms of a clock that never goes back
 */
export function evaluateDecline(since: number | undefined, now: number): DeclineVerdict {
  if (since === undefined || now - since > MEMORY) return { since: now, isConfirmed: false };
  return { since, isConfirmed: now - since >= APART };
}
