import type { PacketView } from '../../codec/packet-view.ts';
import type { Ipv4, Lease, LeaseBoot, Netboot } from '../../lease.ts';
import { ARCHITECTURE, decodeArchitectures, decodeUserClasses } from '../../options/identifiers.ts';
import { OPTION } from '../../options/option-code.ts';
import { decodeText, encodeText } from '../../options/values.ts';

/** The boot file of a client. */
export interface BootFile {
  readonly client: BootClient;
  readonly file: string;
  /** TFTP server. */
  readonly nextServer: Ipv4 | undefined;
}

type BootFileName = keyof Netboot['bootFiles'];

const FIRMWARE = new Map<number, BootFileName>([
  [ARCHITECTURE.bios, 'bios'],
  [ARCHITECTURE.efiX64Wrong, 'efi-x64'],
  [ARCHITECTURE.efiX64, 'efi-x64'],
  [ARCHITECTURE.efiArm64, 'efi-arm64'],
  [ARCHITECTURE.httpX64, 'http-x64'],
  [ARCHITECTURE.httpArm64, 'http-arm64'],
]);

/**
 * The boot file of a client: the machine's override, else the pool's, except that iPXE gets its script; undefined: none. UEFI tries
 * PXE before HTTP. If the machine must boot over HTTP, PXE gets no file, so that the firmware continues with HTTP.
 */
export function bootFile(packet: PacketView, client: BootClient, lease: Lease): BootFile | undefined {
  const { boot, settings } = lease;
  if (boot?.mode === 'UefiHttp' && client === 'PXEClient') return undefined;
  const script = mayBeLoaded(packet, client, boot) ? settings.netboot?.bootFiles.ipxe : undefined;
  const file = script ?? boot?.uri ?? poolFile(packet, client, settings.netboot);
  if (file === undefined || file === '') return undefined;
  return { client, file, nextServer: settings.netboot?.nextServer };
}

/**
 * Whether the client may be an iPXE that the machine's override names and firmware has loaded. With the same file again it would load
 * itself in a loop, so it gets the pool's script. UEFI with iPXE in the card's ROM looks the same. QEMU's BIOS is iPXE from the start
 * and gets the file; it cannot boot in mode `UefiHttp`.
 */
function mayBeLoaded(packet: PacketView, client: BootClient, boot: LeaseBoot | undefined): boolean {
  if (client !== 'iPXE') return false;
  return boot?.mode === 'UefiHttp' || architecturesOf(packet)[0] !== ARCHITECTURE.bios;
}

function poolFile(packet: PacketView, client: BootClient, netboot: Netboot | undefined): string | undefined {
  if (netboot === undefined) return undefined;
  const { bootFiles } = netboot;
  // Without a script: QEMU's BIOS boots with iPXE and then gets the file for BIOS.
  if (client === 'iPXE') return bootFiles.ipxe ?? firmwareFile(packet, bootFiles);
  return firmwareFile(packet, bootFiles);
}

function firmwareFile(packet: PacketView, bootFiles: Netboot['bootFiles']): string | undefined {
  for (const architecture of architecturesOf(packet)) {
    const name = FIRMWARE.get(architecture);
    const file = name && bootFiles[name];
    if (file !== undefined) return file;
  }
  return undefined;
}

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
function architecturesOf(packet: PacketView): number[] {
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
