import {
  isAllocatable,
  isReserved,
  canonicalMac,
  parseIpv4,
  type AddressSpace,
  type IPPool,
  type Ipv4,
} from '../../api/index.ts';
import { AddressMap } from './address-map.ts';

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

/** An address that a pool reserves. */
export interface Reservation {
  address: Ipv4;
  /** Canonical. Either this or virtualMachine is set. */
  macAddress?: string;
  /** `namespace/name`. */
  virtualMachine?: string;
  hostname?: string;
}

/** The reserved addresses of a pool and their owners. If two entries have the same address or owner, the first counts. */
export class Reservations {
  readonly #byAddress = new Map<Ipv4, Reservation>();
  readonly #byMac = new Map<string, Reservation>();
  readonly #byVirtualMachine = new Map<string, Reservation>();

  constructor({ metadata, spec }: IPPool) {
    for (const { ipAddress, macAddress, vmName, hostname } of spec.ipv4Config?.reservations ?? []) {
      const address = parseIpv4(ipAddress);
      const mac = macAddress === undefined ? undefined : canonicalMac(macAddress);
      if (address === undefined || this.#byAddress.has(address)) continue;
      const reservation: Reservation = {
        address,
        ...(mac === undefined ? {} : { macAddress: mac }),
        ...(vmName === undefined ? {} : { virtualMachine: virtualMachineKey(vmName, metadata.namespace ?? '') }),
        ...(hostname === undefined ? {} : { hostname }),
      };
      this.#byAddress.set(address, reservation);
      if (reservation.macAddress !== undefined) setFirst(this.#byMac, reservation.macAddress, reservation);
      if (reservation.virtualMachine !== undefined)
        setFirst(this.#byVirtualMachine, reservation.virtualMachine, reservation);
    }
  }

  at(address: Ipv4): Reservation | undefined {
    return this.#byAddress.get(address);
  }

  ofMac(macAddress: string): Reservation | undefined {
    return this.#byMac.get(macAddress);
  }

  /** @param virtualMachine `namespace/name` */
  ofVirtualMachine(virtualMachine: string): Reservation | undefined {
    return this.#byVirtualMachine.get(virtualMachine);
  }

  addresses(): Iterable<Ipv4> {
    return this.#byAddress.keys();
  }
}

/** A name without a namespace refers to a VM in the pool's namespace; a VM of another namespace could otherwise take the address. */
function virtualMachineKey(vmName: string, namespace: string): string {
  return vmName.includes('/') ? vmName : `${namespace}/${vmName}`;
}

function setFirst<K>(map: Map<K, Reservation>, key: K, value: Reservation): void {
  if (!map.has(key)) map.set(key, value);
}
