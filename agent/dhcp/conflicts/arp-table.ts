import type { HardwareAddress } from '../../../protocols/dhcp/index.ts';
import { macNumber } from '../pools/index.ts';

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
