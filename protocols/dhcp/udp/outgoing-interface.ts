import type { Ipv4, Subnet } from '../lease.ts';
import { addressOf, formatAddress } from '../../udp/ipv4-text.ts';
import { isInNetwork } from '../server/client-request.ts';

/** A network, and the interface by which this host reaches it. */
interface Way extends Subnet {
  readonly device: string;
}

/** Access to the host's own network. */
export interface Host {
  /** The addresses of interfaces that are up: `10.0.0.2/24`. */
  addresses(): readonly { readonly device: string; readonly cidr: string }[];
  /** The text of /proc/net/route, the main routing table. */
  routeTable(): string;
  readonly isLittleEndian: boolean;
}

const LINUX: Host = {
  addresses: () =>
    Object.entries(process.getBuiltinModule('node:os').networkInterfaces()).flatMap(([device, addresses = []]) =>
      addresses.flatMap(({ family, cidr }) => (family === 'IPv4' && cidr !== null ? { device, cidr } : [])),
    ),
  routeTable: () => process.getBuiltinModule('node:fs').readFileSync('/proc/net/route', 'utf8'),
  isLittleEndian: process.getBuiltinModule('node:os').endianness() === 'LE',
};

/** Milliseconds for which interfaces and routes are not read again. */
const MAX_AGE = 1_000;

/**
 * Tells whether the kernel sends a datagram by the interface that has its source address. The source address alone decides that only
 * for broadcasts; others follow the routes, and in a pod the default route leaves the network of the virtual machines. Node cannot
 * bind a socket to an interface (SO_BINDTODEVICE).
 */
export class OutgoingInterface {
  readonly #host: Host;
  /** The ways from a source address, longest prefix first; `device` has the address. */
  readonly #ways = new Map<Ipv4, { readonly device: string | undefined; readonly ways: readonly Way[] }>();
  #readAt = -Infinity;

  constructor(host: Host = LINUX) {
    this.#host = host;
  }

  /**
   * Why a datagram would not leave by the interface of `from`; undefined if it does.
   *
   * @param now ms of a monotonic clock
   */
  detour(from: Ipv4, to: Ipv4, now: number): string | undefined {
    if (now - this.#readAt >= MAX_AGE) {
      this.#ways.clear();
      this.#readAt = now;
    }
    let known = this.#ways.get(from);
    if (known === undefined) this.#ways.set(from, (known = waysFrom(from, this.#host)));
    const { device, ways } = known;
    if (device === undefined) return `no interface that is up has ${formatAddress(from)}`;
    // Without a route in the main table, other tables may have one for the source address, or nothing is sent.
    const way = ways.find((each) => isInNetwork(each, to));
    if (way === undefined || way.device === device) return undefined;
    return `the route to it leaves by ${way.device}, not by ${device}, which has ${formatAddress(from)}`;
  }
}

function waysFrom(from: Ipv4, host: Host): { device: string | undefined; ways: Way[] } {
  const addresses = host.addresses().map(({ device, cidr }) => {
    const [address = '', prefix] = cidr.split('/');
    return { device, address: addressOf(address), subnet: addressOf(address), prefix: Number(prefix) };
  });
  // Linux has all addresses of 127.0.0.0/8, and lists one.
  const own = addresses.find(({ address }) => address === from) ?? addresses.find((each) => isInNetwork(each, from));
  const linked = addresses.filter(({ device }) => device === own?.device);
  const ways = [...linked, ...parseRoutes(host.routeTable(), host.isLittleEndian)];
  return { device: own?.device, ways: ways.toSorted((a, b) => b.prefix - a.prefix) };
}

/**
 * Reads /proc/net/route: interface, destination, gateway, flags, three counters, mask and more. Addresses are hexadecimal numbers in
 * the byte order of the processor.
 */
export function parseRoutes(table: string, isLittleEndian: boolean): Way[] {
  const read = (hex: string): number => {
    const bytes = Buffer.from(hex, 'hex');
    return isLittleEndian ? bytes.readUInt32LE() : bytes.readUInt32BE();
  };
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [device = '', destination = '', , , , , , mask] = line.trim().split(/\s+/);
      if (mask === undefined) return [];
      return { device, subnet: read(destination), prefix: Math.clz32(~read(mask)) };
    });
}
