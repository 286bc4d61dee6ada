import type { PacketView } from '../../codec/packet-view.ts';
import { ARCHITECTURE, decodeArchitectures } from '../../options/architectures.ts';
import { OPTION } from '../../options/option-code.ts';
import { decodeText, encodeText } from '../../options/text.ts';
import { decodeUserClasses } from '../../options/user-class.ts';

/** How a client boots from the network: PXE or HTTP firmware, or iPXE, which may have been loaded by either. */
export type BootClient = 'PXEClient' | 'HTTPClient' | 'iPXE';

const PXE = encodeText('PXEClient');
const HTTP = encodeText('HTTPClient');
const IPXE = 'iPXE';

/**
 * Undefined: no network boot. From option 60 (PXE 2.1 §2.2.1, UEFI §24.7.3.1). iPXE also sends PXEClient; it is detected by option
 * 77, with or without RFC 3004 lengths, or by its own option 175.
 */
export function bootClient(packet: PacketView): BootClient | undefined {
  if (packet.has(OPTION.ipxe) || isIpxe(packet)) return 'iPXE';
  if (packet.startsWith(OPTION.vendorClass, PXE)) return 'PXEClient';
  return packet.startsWith(OPTION.vendorClass, HTTP) ? 'HTTPClient' : undefined;
}

/**
 * The client's architectures, most preferred first (option 93). Firmware without that option has it in option 60, such as
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
