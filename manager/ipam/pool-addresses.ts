import { isAllocatable, isReserved, type AddressSpace, type IPPool, type Ipv4 } from '../../api/index.ts';
import { AddressMap } from './address-map.ts';
import { Reservations } from './reservations.ts';

/** The addresses of one pool for one generation of its spec: which exist, are reserved, or are taken. */
export class PoolAddresses {
  readonly space: AddressSpace;
  readonly reservations: Reservations;
  readonly #map: AddressMap;

  /** @param leased addresses of all leases of the network, including those outside the range */
  constructor(pool: IPPool, space: AddressSpace, leased: Iterable<Ipv4>) {
    const { cidr, servers, router, excluded } = space;
    this.space = space;
    this.reservations = new Reservations(pool);
    this.#map = new AddressMap(space.range);
    for (const range of excluded) this.#map.takeAll(range);
    for (const edge of [cidr.first, cidr.last]) if (isReserved(space, edge)) this.#map.take(edge);
    for (const address of servers) this.#map.take(address);
    if (router !== undefined) this.#map.take(router);
    for (const address of this.reservations.addresses()) this.#map.take(address);
    for (const address of leased) this.#map.take(address);
  }

  /** Whether the address may be leased to any client: it is in the range, not excluded and not reserved. */
  isLeasable(address: Ipv4): boolean {
    return isAllocatable(this.space, address) && this.reservations.at(address) === undefined;
  }

  /** @returns whether it was free */
  take(address: Ipv4): boolean {
    return this.#map.take(address);
  }

  /** Takes a free address; undefined if all are taken. */
  takeNext(): Ipv4 | undefined {
    return this.#map.takeNext();
  }

  /** The address has no lease any more. Reserved and excluded addresses stay taken. */
  release(address: Ipv4): void {
    if (this.isLeasable(address)) this.#map.free(address);
  }

  /** Continues with the address after `address`. */
  continueAfter(address: Ipv4): void {
    this.#map.continueAfter(address);
  }

  get last(): Ipv4 | undefined {
    return this.#map.last;
  }
}
