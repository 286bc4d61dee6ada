import type { HardwareAddress, Lease } from '../../lease.ts';

/** A one-time boot that is not done yet. */
interface PendingBoot {
  readonly uid: string;
  /** Its boot file was acknowledged: then the first request of an operating system ends it, otherwise only time. */
  readonly isAcknowledged: boolean;
  readonly since: number;
}

const LIFETIME = 10 * 60_000;
const MAX_BOOTS = 65_536;

/**
 * Tracks one-time network boots. A boot is done when the machine sends a request as an operating system after an acknowledged boot
 * file, or after ten minutes; then it gets no more boot files, even before the store shows it. A request of an operating system
 * without a known ACK also ends it after ten minutes: ACKs are forgotten when the agent restarts, which may be before the
 * override is known.
 */
export class OneTimeBoots {
  /** In the order of their start. */
  readonly #pending = new Map<HardwareAddress, PendingBoot>();
  /** UIDs of done boots, until the store shows them as consumed or has another. */
  readonly #consumed = new Map<HardwareAddress, string>();
  readonly #onConsumed: (macAddress: HardwareAddress, uid: string, now: number) => void;

  /** @param onConsumed called once for each boot that is done */
  constructor(onConsumed: (macAddress: HardwareAddress, uid: string, now: number) => void) {
    this.#onConsumed = onConsumed;
  }

  /** Number of tracked machines. */
  get size(): number {
    return this.#pending.size + this.#consumed.size;
  }

  isConsumed({ macAddress, boot }: Lease): boolean {
    if (this.#consumed.size === 0) return boot?.isConsumed === true;
    const isConsumed = boot?.uid !== undefined && this.#consumed.get(macAddress) === boot.uid;
    // Forgets what the store shows already, and boots that were replaced.
    if (!isConsumed || boot.isConsumed) this.#consumed.delete(macAddress);
    return isConsumed || boot?.isConsumed === true;
  }

  /** A boot file was acknowledged, by this server or a sibling. */
  acknowledged({ macAddress, boot }: Lease, now: number): void {
    if (boot?.uid === undefined) return;
    const pending = this.#pending.get(macAddress);
    if (pending?.uid === boot.uid && pending.isAcknowledged) return;
    this.#begin(macAddress, { uid: boot.uid, isAcknowledged: true, since: now });
  }

  /** The machine sent a request that is not a network boot. */
  askedByOperatingSystem(lease: Lease, now: number): void {
    const { macAddress, boot } = lease;
    if (boot?.uid === undefined || this.isConsumed(lease)) {
      this.#pending.delete(macAddress);
      return;
    }
    const pending = this.#pending.get(macAddress);
    if (pending?.uid !== boot.uid) this.#begin(macAddress, { uid: boot.uid, isAcknowledged: false, since: now });
    else if (pending.isAcknowledged) this.#consume(macAddress, pending, now);
  }

  /** Ends boots after ten minutes. Call it with every packet; it only looks at expired ones. */
  expire(now: number): void {
    if (this.#pending.size === 0) return;
    for (const [macAddress, boot] of this.#pending) {
      if (now - boot.since < LIFETIME) return;
      this.#consume(macAddress, boot, now);
    }
  }

  #begin(macAddress: HardwareAddress, boot: PendingBoot): void {
    // Moves it behind those that began before it.
    this.#pending.delete(macAddress);
    this.#pending.set(macAddress, boot);
    forgetOldest(this.#pending);
  }

  #consume(macAddress: HardwareAddress, { uid }: PendingBoot, now: number): void {
    this.#pending.delete(macAddress);
    this.#consumed.delete(macAddress);
    this.#consumed.set(macAddress, uid);
    forgetOldest(this.#consumed);
    this.#onConsumed(macAddress, uid, now);
  }
}

function forgetOldest(boots: Map<HardwareAddress, unknown>): void {
  if (boots.size <= MAX_BOOTS) return;
  for (const macAddress of boots.keys()) {
    boots.delete(macAddress);
    return;
  }
}
