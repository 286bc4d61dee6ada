import type { PacketView } from '../../codec/packet-view.ts';
import type { Ipv4, Lease, LeaseBoot, Netboot } from '../../lease.ts';
import { ARCHITECTURE } from '../../options/architectures.ts';
import { architecturesOf, type BootClient } from './client-class.ts';

/** What a client is to boot. */
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
 * The file that a client is to boot, its machine's override before its pool's, but for iPXE's script; undefined: none. UEFI
 * tries PXE before HTTP: where the machine is to boot over HTTP, PXE gets nothing, and firmware goes on.
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
 * Whether the client is iPXE that firmware may have loaded, by the very file that the machine's override names: given that file again,
 * it would load itself for ever. What it is to do then is in the pool's script. UEFI with iPXE in its card's ROM cannot be told from it.
 * QEMU's BIOS is iPXE from the start, and does get the file; it cannot boot in mode `UefiHttp`.
 */
function mayBeLoaded(packet: PacketView, client: BootClient, boot: LeaseBoot | undefined): boolean {
  if (client !== 'iPXE') return false;
  return boot?.mode === 'UefiHttp' || architecturesOf(packet)[0] !== ARCHITECTURE.bios;
}

function poolFile(packet: PacketView, client: BootClient, netboot: Netboot | undefined): string | undefined {
  if (netboot === undefined) return undefined;
  const { bootFiles } = netboot;
  // Without a script: QEMU's BIOS boots by iPXE, and is then to get what a BIOS gets.
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
