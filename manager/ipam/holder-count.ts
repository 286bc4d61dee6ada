import type { IPLease } from '../../api/index.ts';
import { keyOf, type Cache } from '@groundcrew/controller-runtime';
import type { Newest } from './newest.ts';

/** Counts leases by the namespace of the config that requested them, so that no allocation has to list them. */
export class HolderCount {
  readonly #leases: Newest<IPLease>;
  /** Namespaces by the key of the cached lease. */
  readonly #holders = new Map<string, string>();
  /** Cached leases by namespace. */
  readonly #counts = new Map<string, number>();

  constructor(leases: Newest<IPLease>, cache: Pick<Cache<IPLease>, 'subscribe'>) {
    this.#leases = leases;
    cache.subscribe(({ type, object }) => {
      this.#set(keyOf(object.metadata), type === 'deleted' ? undefined : holderOf(object));
    });
  }

  /** Leases of the namespace's configs, with released ones, whose addresses are not free yet. */
  of(namespace: string): number {
    return (this.#counts.get(namespace) ?? 0) + this.#leases.countUnseen((lease) => holderOf(lease) === namespace);
  }

  #set(key: string, namespace: string | undefined): void {
    const before = this.#holders.get(key);
    if (before === namespace) return;
    if (before !== undefined) this.#add(before, -1);
    if (namespace === undefined) this.#holders.delete(key);
    else {
      this.#holders.set(key, namespace);
      this.#add(namespace, 1);
    }
  }

  #add(namespace: string, change: number): void {
    const count = (this.#counts.get(namespace) ?? 0) + change;
    if (count === 0) this.#counts.delete(namespace);
    else this.#counts.set(namespace, count);
  }
}

function holderOf({ spec }: IPLease): string | undefined {
  return spec.vmNetworkConfigRef?.namespace;
}
