import { formatIpv4 } from '../../../api/index.ts';
import { sleep, type Clock } from '../../../kube/index.ts';
import type { HardwareAddress, Ipv4 } from '../../../protocols/dhcp/index.ts';
import { neighbourIn } from './arp-table.ts';

/** Finds out who has an address on a network. */
export interface Neighbours {
  /**
   * The MAC address that answers for `address`; undefined where none does.
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

/**
 * Asks the kernel, which asks by ARP: a datagram to the address makes it look. That takes no raw socket and no
 * capability, and the answer stands in its table.
 */
export class KernelNeighbours implements Neighbours {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async lookUp(address: Ipv4, from: Ipv4, signal: AbortSignal): Promise<HardwareAddress | undefined> {
    await provoke(formatIpv4(address), formatIpv4(from));
    await sleep(this.#clock, PATIENCE, signal);
    const table = process.getBuiltinModule('node:fs').readFileSync(ARP_TABLE, 'utf8');
    return neighbourIn(table, formatIpv4(address));
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
