import { type Clock, sleep } from '@groundcrew/controller-runtime';
import { formatIpv4 } from '../../../api/index.ts';
import type { HardwareAddress, Ipv4 } from '../../../protocols/dhcp/index.ts';
import { macNumber } from '../mac-number.ts';

/** Finds the host that has an address on a network. */
export interface Neighbours {
  /**
   * The MAC address that answers for `address`; undefined where none does, or it cannot be told from what was so earlier.
   *
   * @param from this machine's own address on that network
   */
  lookUp(address: Ipv4, from: Ipv4, signal: AbortSignal): Promise<HardwareAddress | undefined>;
}

/** The discard service, RFC 863: what arrives there does nothing. */
const DISCARD = 9;
/** Milliseconds within which a neighbour answers, or the kernel gives it up for now. */
const PATIENCE = 1200;
const ARP_TABLE = '/proc/net/arp';

/** Access to the kernel's ARP. */
export interface Kernel {
  /** The text of /proc/net/arp. */
  arpTable(): string;
  /** Makes it look for the one that has `address`. */
  provoke(address: string, from: string): Promise<void>;
}

const LINUX: Kernel = {
  arpTable: () => process.getBuiltinModule('node:fs').readFileSync(ARP_TABLE, 'utf8'),
  provoke,
};

/**
 * Asks the kernel, which asks by ARP: a datagram to the address makes it look. That takes no raw socket and no
 * capability, and the answer stands in its table.
 */
export class KernelNeighbours implements Neighbours {
  readonly #clock: Clock;
  readonly #kernel: Kernel;

  constructor(clock: Clock, kernel: Kernel = LINUX) {
    this.#clock = clock;
    this.#kernel = kernel;
  }

  /** Nobody, too, where the kernel knew somebody before it was asked. */
  async lookUp(address: Ipv4, from: Ipv4, signal: AbortSignal): Promise<HardwareAddress | undefined> {
    const text = formatIpv4(address);
    // Who had the address before stays in the table for as long as there is room, and would be taken for a squatter.
    if (neighbourIn(this.#kernel.arpTable(), text) !== undefined) return undefined;
    await this.#kernel.provoke(text, formatIpv4(from));
    await sleep(this.#clock, PATIENCE, signal);
    return neighbourIn(this.#kernel.arpTable(), text);
  }
}

async function provoke(address: string, from: string): Promise<void> {
  // An ESM import of node:dgram costs 3 MB more.
  const socket = process.getBuiltinModule('node:dgram').createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(0, from, () => {
        socket.send(Buffer.alloc(1), DISCARD, address, (error) => {
          if (error === null) resolve();
          else reject(error);
        });
      });
    });
  } finally {
    socket.close();
  }
}

/** ATF_COM of linux/if_arp.h: the neighbour has answered. */
const COMPLETE = 0x2;

/**
 * The MAC address that has answered for an address.
 *
 * @param table the text of /proc/net/arp: address, hardware type, flags, MAC address, mask, device
 */
export function neighbourIn(table: string, address: string): HardwareAddress | undefined {
  for (const line of table.split('\n').slice(1)) {
    const [ip, , flags = '0', mac = ''] = line.trim().split(/\s+/);
    if (ip !== address || (Number(flags) & COMPLETE) === 0) continue;
    const found = macNumber(mac);
    if (found !== undefined && found !== 0) return found;
  }
  return undefined;
}
