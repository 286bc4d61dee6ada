import type { HardwareAddress, Lease, LeaseStore, NetworkSettings } from '../../../protocols/dhcp/index.ts';
import { isSameLease, isServed, olderFirst, type LeaseRecord, type ServedLease } from './lease-record.ts';

export interface LeaseTableOptions {
  /** Whether the source of the table is current. */
  isFresh: () => boolean;
  /** Several leases have one MAC address: the first is served, the others are not. */
  onDuplicate: (served: LeaseRecord, others: readonly LeaseRecord[]) => void;
  /** A lease cannot be served: its MAC or IP address is invalid. */
  onInvalid: (record: LeaseRecord) => void;
}

/**
 * The leases of a network by MAC address. A change takes effect before the function that makes it returns. A lease is served while
 * its pool is served. Of several leases of a MAC address, the oldest is served.
 */
export class LeaseTable implements LeaseStore {
  readonly #options: LeaseTableOptions;
  readonly #settings = new Map<string, NetworkSettings>();
  /** By `namespace/name`. */
  readonly #records = new Map<string, LeaseRecord>();
  /** The first lease of each MAC address, served or not. */
  readonly #holders = new Map<HardwareAddress, LeaseRecord>();
  /** Further leases of the same MAC address. */
  readonly #rivals = new Map<HardwareAddress, readonly LeaseRecord[]>();
  /** Number of served leases by pool. */
  readonly #served = new Map<string, number>();
  /** Namespaces whose list has arrived. */
  readonly #complete = new Set<string>();
  #revision = 0;

  constructor(options: LeaseTableOptions) {
    this.#options = options;
  }

  get isFresh(): boolean {
    return this.#options.isFresh();
  }

  find(macAddress: HardwareAddress): Lease | undefined {
    const record = this.#holders.get(macAddress);
    return isServed(record) ? record : undefined;
  }

  /** Increases with each change that a snapshot contains. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#records.size;
  }

  /** Number of served leases by pool; a pool without any may be missing. */
  get served(): ReadonlyMap<string, number> {
    return this.#served;
  }

  get records(): Iterable<LeaseRecord> {
    return this.#records.values();
  }

  /** The current record of a lease; undefined if it was deleted or its name belongs to another lease. */
  current({ key, uid }: Pick<LeaseRecord, 'key' | 'uid'>): LeaseRecord | undefined {
    const record = this.#records.get(key);
    return record?.uid === uid ? record : undefined;
  }

  /** The current record of a lease that may have changed since; undefined if it is no longer served. */
  recordOf(lease: Lease): ServedLease | undefined {
    const record = this.#holders.get(lease.macAddress);
    return isServed(record) && record.ipAddress === lease.ipAddress ? record : undefined;
  }

  /** Serves a pool's leases with these settings; undefined: stops serving them. */
  setPool(key: string, settings: NetworkSettings | undefined): void {
    if (this.#settings.get(key) === settings) return;
    if (settings === undefined) this.#settings.delete(key);
    else this.#settings.set(key, settings);
    this.#revision += 1;
    for (const { pool, macAddress } of this.#records.values()) if (pool === key) this.#settle(macAddress);
  }

  /** Adds records of a snapshot for namespaces whose list has not arrived yet. */
  restore(records: readonly LeaseRecord[]): void {
    for (const record of records) if (!this.#complete.has(record.namespace)) this.put(record);
  }

  /** Replaces all records of a namespace. */
  replace(namespace: string, records: readonly LeaseRecord[]): void {
    this.#complete.add(namespace);
    const present = new Set(records.map(({ key }) => key));
    for (const { key } of [...this.#records.values()]) {
      if (key.startsWith(`${namespace}/`) && !present.has(key)) this.remove(key);
    }
    for (const record of records) this.put(record);
  }

  put(record: LeaseRecord): void {
    const before = this.#records.get(record.key);
    if (before !== undefined) {
      const known = this.#withKnownBoot(record, before);
      if (isSameLease(before, known)) {
        before.learn(record);
        before.version = record.version;
        return;
      }
      this.#put(known);
    } else this.#put(record);
  }

  remove(key: string): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    this.#records.delete(key);
    this.#revision += 1;
    this.#leave(record);
    this.#settle(record.macAddress);
  }

  /** Marks the one-time network boot of the lease as done. */
  consumeBoot(lease: Lease): void {
    const record = this.recordOf(lease);
    if (record?.boot === undefined || record.boot.uid !== lease.boot?.uid) return;
    const consumed = record.with(undefined, { ...record.boot, isConsumed: true });
    consumed.bootConsumedUID = record.boot.uid;
    this.#put(consumed);
  }

  /** Keeps a network boot marked as done until the API server shows it. */
  #withKnownBoot(record: LeaseRecord, { uid, boot }: LeaseRecord): LeaseRecord {
    const isKnown = record.uid === uid && record.boot?.uid === boot?.uid && boot?.isConsumed === true;
    if (!isKnown || record.boot === undefined || record.boot.isConsumed) return record;
    const known = record.with(undefined, { ...record.boot, isConsumed: true });
    known.bootConsumedUID = record.boot.uid;
    return known;
  }

  #put(record: LeaseRecord): void {
    this.#revision += 1;
    const before = this.#records.get(record.key);
    if (before !== undefined) this.#leave(before);
    this.#records.set(record.key, record);
    if (record.macAddress < 0 || record.ipAddress < 0) this.#options.onInvalid(record);
    else {
      const others = this.#claims(record.macAddress);
      this.#claim(record.macAddress, [...others, record]);
      this.#settle(record.macAddress);
    }
    if (before !== undefined && before.macAddress !== record.macAddress) this.#settle(before.macAddress);
  }

  /** Removes a record from the claims of its MAC address. */
  #leave(record: LeaseRecord): void {
    if (isServed(record)) this.#countServed(record.pool, -1);
    const claims = this.#claims(record.macAddress);
    this.#claim(
      record.macAddress,
      claims.filter((other) => other !== record),
    );
  }

  /** Serves the oldest lease of a MAC address whose pool is served. */
  #settle(macAddress: HardwareAddress): void {
    const claims = this.#claims(macAddress);
    if (claims.length === 0) return;
    const served = claims.filter(({ pool }) => this.#settings.has(pool));
    const [holder] = served.sort(olderFirst);
    const settled = claims.map((record) => {
      const settings = record === holder ? this.#settings.get(record.pool) : undefined;
      if (record.settings === settings) return record;
      this.#countServed(record.pool, (settings === undefined ? 0 : 1) - (isServed(record) ? 1 : 0));
      // A record that was served may be cached, so a change creates a new object.
      const changed = record.settings === undefined ? record : record.with(settings);
      changed.settings = settings;
      this.#records.set(changed.key, changed);
      return changed;
    });
    this.#claim(macAddress, settled);
    if (served.length > 1 && holder !== undefined) this.#options.onDuplicate(holder, served.slice(1));
  }

  #countServed(pool: string, change: number): void {
    this.#served.set(pool, (this.#served.get(pool) ?? 0) + change);
  }

  #claims(macAddress: HardwareAddress): readonly LeaseRecord[] {
    const holder = this.#holders.get(macAddress);
    if (holder === undefined) return [];
    const rivals = this.#rivals.get(macAddress);
    return rivals === undefined ? [holder] : [holder, ...rivals];
  }

  /** Served before not served, then the oldest first. */
  #claim(macAddress: HardwareAddress, claims: readonly LeaseRecord[]): void {
    const [holder, ...rivals] = claims.length > 1 ? [...claims].sort(servedFirst) : claims;
    if (holder === undefined) this.#holders.delete(macAddress);
    else this.#holders.set(macAddress, holder);
    if (rivals.length === 0) this.#rivals.delete(macAddress);
    else this.#rivals.set(macAddress, rivals.sort(olderFirst));
  }
}

function servedFirst(a: LeaseRecord, b: LeaseRecord): number {
  if (isServed(a) !== isServed(b)) return isServed(a) ? -1 : 1;
  return olderFirst(a, b);
}
