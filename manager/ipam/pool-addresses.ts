import { isAllocatable, isReserved, type AddressSpace, type IPPool, type Ipv4 } from '../../api/index.ts';
import { AddressMap } from './address-map.ts';
import { Reservations } from './reservations.ts';

/** The addresses of one pool, by one generation of its spec: which there are, whom they are kept for, and which are taken. */
export class PoolAddresses {
  readonly space: AddressSpace;
  readonly reservations: Reservations;
  readonly #map: AddressMap;

  /** @param leased addresses of all leases of the network, also those that lie outside the range */
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

  /** Whether anybody who comes may be given the address, if nobody has it: it is kept for none. */
  isLeasable(address: Ipv4): boolean {
    return isAllocatable(this.space, address) && this.reservations.at(address) === undefined;
  }

  /** @returns whether it was free */
  take(address: Ipv4): boolean {
    return this.#map.take(address);
  }

  /** A free address, taken; undefined: there is none. */
  takeNext(): Ipv4 | undefined {
    return this.#map.takeNext();
  }

  /** The address has no lease any more. What is kept, or excluded, stays so. */
  release(address: Ipv4): void {
    if (this.isLeasable(address)) this.#map.free(address);
  }

  /** Hands out next what comes after `address`. */
  continueAfter(address: Ipv4): void {
    this.#map.continueAfter(address);
  }

  get last(): Ipv4 | undefined {
    return this.#map.last;
  }
}
