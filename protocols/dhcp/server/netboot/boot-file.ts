import type { PacketView } from '../../codec/packet-view.ts';
import type { BootFiles, Firmware, Ipv4, Lease, LeaseBoot } from '../../lease.ts';
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

const FIRMWARE = new Map<number, Firmware>([
  [ARCHITECTURE.bios, 'bios'],
  [ARCHITECTURE.efiIa32, 'efi-ia32'],
  [ARCHITECTURE.efiX64Wrong, 'efi-x64'],
  [ARCHITECTURE.efiX64, 'efi-x64'],
  [ARCHITECTURE.efiArm64, 'efi-arm64'],
  [ARCHITECTURE.httpIa32, 'http-ia32'],
  [ARCHITECTURE.httpX64, 'http-x64'],
  [ARCHITECTURE.httpArm64, 'http-arm64'],
  [ARCHITECTURE.efiRiscv64, 'efi-riscv64'],
  [ARCHITECTURE.httpRiscv64, 'http-riscv64'],
  [ARCHITECTURE.s390, 's390x'],
  [ARCHITECTURE.s390Extended, 's390x'],
]);

/**
 * The boot file of a client: the machine's override, else its own or the pool's, except that iPXE gets its script; undefined: none.
 * UEFI tries PXE before HTTP. If the machine must boot over HTTP, PXE gets no file, so that the firmware continues with HTTP.
 */
export function bootFile(packet: PacketView, client: BootClient, lease: Lease): BootFile | undefined {
  const { boot, settings } = lease;
  if (boot?.mode === 'UefiHttp' && client === 'PXEClient') return undefined;
  const script = mayBeLoaded(packet, client, boot) ? fileOf(lease, 'ipxe') : undefined;
  const file = script ?? boot?.uri ?? clientFile(packet, client, lease);
  if (file === undefined || file === '') return undefined;
  return { client, file, nextServer: settings.netboot?.nextServer };
}

/**
 * Whether the client may be an iPXE that the machine's override names and firmware has loaded. With the same file again it would load
 * itself in a loop, so it gets the script. UEFI with iPXE in the card's ROM looks the same. QEMU's BIOS is iPXE from the start
 * and gets the file; it cannot boot in mode `UefiHttp`.
 */
function mayBeLoaded(packet: PacketView, client: BootClient, boot: LeaseBoot | undefined): boolean {
  if (client !== 'iPXE') return false;
  return boot?.mode === 'UefiHttp' || architecturesOf(packet)[0] !== ARCHITECTURE.bios;
}

function clientFile(packet: PacketView, client: BootClient, lease: Lease): string | undefined {
  // Without a script: QEMU's BIOS boots with iPXE and then gets the file for BIOS.
  if (client === 'iPXE') return fileOf(lease, 'ipxe') ?? firmwareFile(packet, lease);
  return firmwareFile(packet, lease);
}

function firmwareFile(packet: PacketView, lease: Lease): string | undefined {
  for (const architecture of architecturesOf(packet)) {
    const name = FIRMWARE.get(architecture);
    const file = name && fileOf(lease, name);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The machine's own file, else the pool's. */
function fileOf({ boot, settings: { netboot } }: Lease, name: keyof BootFiles): string | undefined {
  return boot?.files?.[name] ?? netboot?.bootFiles[name];
}

/** How a client boots from the network: PXE or HTTP firmware, or iPXE, which may have been loaded by either. */
export type BootClient = 'PXEClient' | 'HTTPClient' | 'iPXE';

const PXE = encodeText('PXEClient');
const HTTP = encodeText('HTTPClient');
const IPXE = 'iPXE';

/**
 * Undefined: no network boot. From option 60 (PXE 2.1 §2.2.1, UEFI §24.7.3.1). iPXE also sends PXEClient; it is detected by option
 * 77, with or without RFC 3004 lengths, or by its own option 175. The loader of QEMU's s390x machines sends no option 60, only its
 * architecture, and that only in the REQUEST.
 */
export function bootClient(packet: PacketView): BootClient | undefined {
  if (packet.has(OPTION.ipxe) || isIpxe(packet)) return 'iPXE';
  if (packet.startsWith(OPTION.vendorClass, PXE)) return 'PXEClient';
  if (packet.startsWith(OPTION.vendorClass, HTTP)) return 'HTTPClient';
  return packet.has(OPTION.clientArchitecture) && !packet.has(OPTION.vendorClass) ? 'PXEClient' : undefined;
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
