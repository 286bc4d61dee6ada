import { ARCHITECTURE } from '../options/architectures.ts';
import { OPTION } from '../options/option-code.ts';
import { encodeText } from '../options/text.ts';
import { USUAL_PARAMETERS, type ClientIdentity } from './client-identity.ts';

/** Firmware that boots from the network; the names match the boot files of a pool. */
export type Firmware = 'bios' | 'efi-x64' | 'efi-arm64' | 'http-x64' | 'http-arm64';

const BOOT_PARAMETERS: readonly number[] = [
  ...USUAL_PARAMETERS,
  OPTION.vendorSpecific,
  OPTION.vendorClass,
  OPTION.tftpServerName,
  OPTION.bootFileName,
  OPTION.machineIdentifier,
];

/** Option 94: UNDI 2.1 for BIOS, 3.1 for UEFI (RFC 4578 §2.2). */
const INTERFACE = { bios: [1, 2, 1], uefi: [1, 3, 1] };

const ARCHITECTURES: Readonly<Record<Firmware, number>> = {
  bios: ARCHITECTURE.bios,
  // Real firmware sends 7, unlike the RFC.
  'efi-x64': ARCHITECTURE.efiX64Wrong,
  'efi-arm64': ARCHITECTURE.efiArm64,
  'http-x64': ARCHITECTURE.httpX64,
  'http-arm64': ARCHITECTURE.httpArm64,
};

/**
 * The DHCP options with which firmware identifies itself for a network boot: RFC 4578 §2; UEFI 2.10 §24.7.2 for HTTP.
 *
 * @param isIpxe the client is iPXE, started by the firmware
 * @param machineIdentifier UUID of the machine, 16 bytes
 */
export function bootIdentity(
  firmware: Firmware,
  { isIpxe = false, machineIdentifier }: { isIpxe?: boolean; machineIdentifier?: Uint8Array } = {},
): Omit<ClientIdentity, 'macAddress'> {
  const architecture = ARCHITECTURES[firmware];
  const undi = firmware === 'bios' ? INTERFACE.bios : INTERFACE.uefi;
  const kind = firmware.startsWith('http-') ? 'HTTPClient' : 'PXEClient';
  const version = undi.slice(1).map((part) => String(part).padStart(3, '0'));
  return {
    vendorClass: `${kind}:Arch:${String(architecture).padStart(5, '0')}:UNDI:${version.join('')}`,
    architectures: [architecture],
    parameterRequestList: isIpxe ? [...BOOT_PARAMETERS, OPTION.ipxe] : BOOT_PARAMETERS,
    // iPXE sends its user class without a length, and options of its own.
    ...(isIpxe && { userClass: encodeText('iPXE') }),
    ...(machineIdentifier !== undefined && { machineIdentifier }),
    options: [
      { code: OPTION.clientInterface, value: Uint8Array.from(undi) },
      ...(isIpxe ? [{ code: OPTION.ipxe, value: Uint8Array.of(0xb1, 5, 1, 0x1a, 0xf4, 0x10, 0x00) }] : []),
    ],
  };
}
