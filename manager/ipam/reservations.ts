import { canonicalMac, parseIpv4, type IPPool, type Ipv4 } from '../../api/index.ts';

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
