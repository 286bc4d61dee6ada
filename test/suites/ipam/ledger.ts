import { isQuarantined, LABELS, type IPLease } from '../../../api/index.ts';
import { CachedWatch, systemClock, type Change, type KubeClient } from '@groundcrew/controller-runtime';
import { IP_LEASES } from '../../../api/index.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';

/** Tolerance in milliseconds between two clocks that are read one after the other. */
const SKEW = 5;

/** Watches all changes of a namespace's leases and records each violation of the rules. */
export class Ledger {
  readonly #leases: CachedWatch<IPLease>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** The current lease by network and address. */
  readonly #holders = new Map<string, IPLease>();
  /** The previous lease by network and address. */
  readonly #former = new Map<string, IPLease>();
  /** Names of leases by pool. */
  readonly #quarantined = new Map<string, Set<string>>();
  readonly faults: string[] = [];

  constructor(client: KubeClient, namespace: string) {
    this.#leases = new CachedWatch({ client, kind: IP_LEASES, namespace, clock: systemClock, logger: silentLogger });
    this.#leases.subscribe((change) => {
      this.#note(change);
    });
    this.#running = this.#leases.run(this.#stop.signal);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #note({ type, object }: Change<IPLease>): void {
    const place = `${object.metadata.labels?.[LABELS.network] ?? ''} ${object.spec.ipAddress}`;
    if (type === 'deleted') {
      this.#holders.delete(place);
      this.#former.set(place, object);
      if (isQuarantined(object) && this.#quarantinedOf(object).size === 1)
        this.faults.push(`${object.metadata.name} is free although another machine has it`);
      if (object.metadata.labels?.[LABELS.released] === undefined)
        this.faults.push(`${object.metadata.name} was deleted while agents served it`);
      return;
    }
    const holder = this.#holders.get(place);
    if (holder !== undefined && holder.metadata.uid !== object.metadata.uid)
      this.faults.push(`${place} is leased to ${holder.spec.macAddress} and ${object.spec.macAddress} at once`);
    this.#holders.set(place, object);
    if (isQuarantined(object)) this.#quarantinedOf(object).add(object.metadata.name);
    if (type === 'added') this.#checkRotation(place, object);
  }

  /** The names of its pool's leases that were ever in quarantine. One always may be; others only within limits. */
  #quarantinedOf({ metadata }: IPLease): Set<string> {
    const pool = metadata.labels?.[LABELS.ipPool] ?? '';
    const names = this.#quarantined.get(pool) ?? new Set();
    this.#quarantined.set(pool, names);
    return names;
  }

  /** The previous client must not be able to hold the address any more, unless it is the same VM. */
  #checkRotation(place: string, lease: IPLease): void {
    const former = this.#former.get(place);
    if (former === undefined || former.spec.vmRef?.name === lease.spec.vmRef?.name) return;
    const { state, expires } = former.status ?? {};
    if (former.spec.macAddress === lease.spec.macAddress || state === 'Released') return;
    if (expires !== undefined && Date.parse(expires) > Date.now() + SKEW)
      this.faults.push(`${place} is leased again before ${expires}`);
  }
}
