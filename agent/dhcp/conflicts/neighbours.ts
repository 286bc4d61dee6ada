import { type Clock, sleep } from '@groundcrew/controller-runtime';
import { formatIpv4 } from '../../../api/index.ts';
import type { HardwareAddress, Ipv4 } from '../../../protocols/dhcp/index.ts';
import { macNumber } from '../mac-number.ts';

/** Finds the host that has an address on a network. */
export interface Neighbours {
  /**
   * The MAC address that answers for `address`; undefined if none answers.
   *
   * @param from this machine's own address on that network
   */
  lookUp(address: Ipv4, from: Ipv4, signal: AbortSignal): Promise<HardwareAddress | undefined>;
}

/** The discard service, RFC 863: datagrams have no effect. */
const DISCARD = 9;
/** Milliseconds within which a neighbour answers or the kernel gives up. */
const PATIENCE = 1200;
/** Milliseconds within which the kernel checks an old entry: 5 s until its first probe, then three probes (arp(7)). */
const RECHECK = 10_000;
const ARP_TABLE = '/proc/net/arp';

/** Access to the kernel's ARP. */
export interface Kernel {
  /** The text of /proc/net/arp. */
  arpTable(): string;
  /** Makes the kernel send an ARP request for `address`. */
  provoke(address: string, from: string): Promise<void>;
}

const LINUX: Kernel = {
  arpTable: () => process.getBuiltinModule('node:fs').readFileSync(ARP_TABLE, 'utf8'),
  provoke,
};

/**
 * Resolves addresses with the kernel's ARP: a datagram to the address causes the request, and the ARP table contains the answer.
 * This needs no raw socket and no capability.
 */
export class KernelNeighbours implements Neighbours {
  readonly #clock: Clock;
  readonly #kernel: Kernel;

  constructor(clock: Clock, kernel: Kernel = LINUX) {
    this.#clock = clock;
    this.#kernel = kernel;
  }

  async lookUp(address: Ipv4, from: Ipv4, signal: AbortSignal): Promise<HardwareAddress | undefined> {
    const text = formatIpv4(address);
    const find = () => neighbourIn(this.#kernel.arpTable(), text);
    if (find() !== undefined) {
      // Old entries stay in the table: this may be a former holder, or the client itself. Use makes the kernel check the entry.
      await this.#kernel.provoke(text, formatIpv4(from));
      await sleep(this.#clock, RECHECK, signal);
      const checked = find();
      if (checked !== undefined) return checked;
    }
    await this.#kernel.provoke(text, formatIpv4(from));
    await sleep(this.#clock, PATIENCE, signal);
    return find();
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
 * The MAC address that the ARP table has for an address.
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
