import type { PacketView } from '../../codec/packet-view.ts';
import { ARCHITECTURE, decodeArchitectures } from '../../options/architectures.ts';
import { OPTION } from '../../options/option-code.ts';
import { decodeText, encodeText } from '../../options/text.ts';
import { decodeUserClasses } from '../../options/user-class.ts';

/** How a client boots from the network: firmware over PXE or HTTP, or iPXE, which either of them may have started. */
export type BootClient = 'PXEClient' | 'HTTPClient' | 'iPXE';

const PXE = encodeText('PXEClient');
const HTTP = encodeText('HTTPClient');
const IPXE = 'iPXE';

/**
 * Undefined: it does not boot from the network. By option 60 (PXE 2.1 §2.2.1, UEFI §24.7.3.1); iPXE, which says PXEClient as
 * well, by option 77, bare or as in RFC 3004, or its own option 175.
 */
export function bootClient(packet: PacketView): BootClient | undefined {
  if (packet.has(OPTION.ipxe) || isIpxe(packet)) return 'iPXE';
  if (packet.startsWith(OPTION.vendorClass, PXE)) return 'PXEClient';
  return packet.startsWith(OPTION.vendorClass, HTTP) ? 'HTTPClient' : undefined;
}

/**
 * What the client can run, the likeliest first (option 93). Firmware that does not say so says it in option 60, such as
 * `PXEClient:Arch:00007:UNDI:003016`, or is a BIOS.
 */
export function architecturesOf(packet: PacketView): number[] {
  const value = packet.option(OPTION.clientArchitecture);
  const architectures = value && decodeArchitectures(value);
  if (architectures !== undefined && architectures.length > 0) return architectures;
  const vendorClass = decodeText(packet.option(OPTION.vendorClass) ?? new Uint8Array(0));
  return [Number(/^[A-Z]+Client:Arch:(\d{5})/i.exec(vendorClass)?.[1] ?? ARCHITECTURE.bios)];
}

function isIpxe(packet: PacketView): boolean {
  const userClass = packet.option(OPTION.userClass);
  return userClass !== undefined && decodeUserClasses(userClass).includes(IPXE);
}
