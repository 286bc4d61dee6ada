import ipaddr from 'ipaddr.js';

const { IPv6 } = ipaddr;

/** Maximum number of sources; the least recently used are forgotten first. */
const MAX_SOURCES = 256;
/** Maximum number of users per source; only the difference between one and several matters. */
const MAX_USERS = 16;
/** ms for which a source counts as good after a log-in. */
const GOOD_FOR = 60 * 60_000;

interface Source<User> {
  lastSuccess: number;
  readonly users: Set<User>;
}

/** State of the sources of log-ins. Several guards may share it. */
export class LoginSources<User> {
  readonly #sources = new RecentMap<string, Source<User>>(MAX_SOURCES);

  tried(source: string, user: User): void {
    const { users } = this.#use(source);
    if (users.size < MAX_USERS) users.add(user);
  }

  succeeded(source: string, now: number): void {
    this.#use(source).lastSuccess = now;
  }

  /** Whether a user has logged in from this source recently. */
  isGood(source: string, now: number): boolean {
    return now - (this.#sources.get(source)?.lastSuccess ?? -Infinity) <= GOOD_FOR;
  }

  /** Number of users that have tried from this source, up to the limit. */
  users(source: string): number {
    return this.#sources.get(source)?.users.size ?? 0;
  }

  #use(source: string): Source<User> {
    return this.#sources.use(source, () => ({ lastSuccess: -Infinity, users: new Set() }));
  }
}

/** Number of 16-bit parts in the network prefix of an IPv6 address; a client can use all addresses of its /64. */
const NETWORK_PARTS = 4;

/** One source of log-ins: an IPv4 address or an IPv6 /64 network. */
export function loginSource(address: string): string {
  const plain = address.replace(/%.*$/, '');
  if (!IPv6.isValid(plain)) return plain;
  const parsed = IPv6.parse(plain);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${new IPv6([...parsed.parts.slice(0, NETWORK_PARTS), 0, 0, 0, 0]).toString()}/64`;
}

/** A Map with a size limit that evicts the least recently used entry. */
export class RecentMap<K, V> {
  readonly #limit: number;
  /** Made for the first entry: many BMCs have several of these maps, and few have clients. */
  #entries: Map<K, V> | undefined;
  /** The key that was used last, which need not be moved: a Map that changes leaves old tables behind. */
  #latest: K | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  /** Returns the value of a key and marks it as used; calls `make` if there is no value. */
  use(key: K, make: () => V): V {
    const entries = (this.#entries ??= new Map<K, V>());
    const known = entries.get(key);
    if (known !== undefined && key === this.#latest) return known;
    const value = known ?? make();
    this.#latest = key;
    entries.delete(key);
    entries.set(key, value);
    for (const oldest of entries.keys()) {
      if (entries.size <= this.#limit) break;
      entries.delete(oldest);
    }
    return value;
  }

  get(key: K): V | undefined {
    return this.#entries?.get(key);
  }

  delete(key: K): void {
    this.#entries?.delete(key);
  }

  values(): Iterable<V> {
    return this.#entries?.values() ?? [];
  }
}
