import type { HardwareAddress, Lease } from '../../lease.ts';

/** A boot override that will end. */
interface PendingBoot {
  readonly uid: string;
  /** Its boot file was acknowledged: then the first request as an operating system ends it, else time alone. */
  readonly isAcknowledged: boolean;
  readonly since: number;
}

const LIFETIME = 10 * 60_000;
const MAX_BOOTS = 65_536;

/**
 * Makes the network boot that a machine was told to do a one-time one. It has been when, after a boot file was acknowledged,
 * the machine asks as an operating system does, or ten minutes have gone by; from there it gets no boot file, whether the
 * store shows it already or not. An operating system that asks out of the blue ends it after ten minutes too: what was
 * acknowledged is forgotten when an agent ends, and may be so before the override is known.
 */
export class OneTimeBoots {
  /** In the order in which their ten minutes began. */
  readonly #pending = new Map<HardwareAddress, PendingBoot>();
  /** UIDs of those that have been, until the store knows or has another. */
  readonly #consumed = new Map<HardwareAddress, string>();
  readonly #onConsumed: (macAddress: HardwareAddress, uid: string, now: number) => void;

  /** @param onConsumed called once for each boot that has been */
  constructor(onConsumed: (macAddress: HardwareAddress, uid: string, now: number) => void) {
    this.#onConsumed = onConsumed;
  }

  /** Machines that something is remembered of. */
  get size(): number {
    return this.#pending.size + this.#consumed.size;
  }

  isConsumed({ macAddress, boot }: Lease): boolean {
    if (this.#consumed.size === 0) return boot?.isConsumed === true;
    const isConsumed = boot?.uid !== undefined && this.#consumed.get(macAddress) === boot.uid;
    // What the store shows need not be remembered, nor what it has another for.
    if (!isConsumed || boot.isConsumed) this.#consumed.delete(macAddress);
    return isConsumed || boot?.isConsumed === true;
  }

  /** A boot file was acknowledged, by us or by one who answers as we do. */
  acknowledged({ macAddress, boot }: Lease, now: number): void {
    if (boot?.uid === undefined) return;
    const pending = this.#pending.get(macAddress);
    if (pending?.uid === boot.uid && pending.isAcknowledged) return;
    this.#begin(macAddress, { uid: boot.uid, isAcknowledged: true, since: now });
  }

  /** The machine asked, and not to boot from the network. */
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

  /** Ends those whose ten minutes are over, and looks at no others. Call it with every packet. */
  expire(now: number): void {
    if (this.#pending.size === 0) return;
    for (const [macAddress, boot] of this.#pending) {
      if (now - boot.since < LIFETIME) return;
      this.#consume(macAddress, boot, now);
    }
  }

  #begin(macAddress: HardwareAddress, boot: PendingBoot): void {
    // Behind those that began before it.
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
