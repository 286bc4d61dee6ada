import type { EncodedOption } from '../codec/message.ts';
import type { Firmware, HardwareAddress, Ipv4 } from '../lease.ts';
import { ARCHITECTURE, encodeArchitectures, encodeMachineIdentifier } from '../options/identifiers.ts';
import { OPTION } from '../options/option-code.ts';
import { encodeText } from '../options/values.ts';

/** How a client identifies itself and how it wants to be answered. */
export interface ClientIdentity {
  readonly macAddress: HardwareAddress;
  /** Option 12. */
  readonly hostname?: string;
  /** Option 61, type and value; most clients send none, or {@link encodeHardwareIdentifier}. */
  readonly clientIdentifier?: Uint8Array;
  /** Option 60. */
  readonly vendorClass?: string;
  /** Option 77 as bytes: iPXE sends its name without lengths, RFC 3004 requires them. */
  readonly userClass?: Uint8Array;
  /** Option 93, most preferred first. */
  readonly architectures?: readonly number[];
  /** Option 97: UUID of the machine, 16 bytes. */
  readonly machineIdentifier?: Uint8Array;
  /** Option 55: codes of the requested options. */
  readonly parameterRequestList?: readonly number[];
  /** Further options, sent in every message. */
  readonly options?: readonly EncodedOption[];
  /** The broadcast flag B: answers must be broadcast (RFC 2131 §2). */
  readonly wantsBroadcast?: boolean;
  /** The client accepts an ACK to its DISCOVER (RFC 4039). */
  readonly rapidCommit?: boolean;
  /** `giaddr`: the client acts as its own relay agent and gets the answers at this address. */
  readonly relayAddress?: Ipv4;
}

/** The options that most operating systems request. */
export const USUAL_PARAMETERS: readonly number[] = [
  OPTION.subnetMask,
  OPTION.routers,
  OPTION.domainNameServers,
  OPTION.hostName,
  OPTION.domainName,
  OPTION.interfaceMtu,
  OPTION.broadcastAddress,
  OPTION.ntpServers,
  OPTION.leaseTime,
  OPTION.serverIdentifier,
  OPTION.renewalTime,
  OPTION.rebindingTime,
  OPTION.domainSearch,
  OPTION.classlessRoutes,
];

/** Maximum message size in bytes: one Ethernet frame. */
const MAX_MESSAGE_SIZE = Uint8Array.of(1500 >>> 8, 1500 & 255);

/** The options of a message that depend only on the client's identity. */
export function identityOptions(identity: ClientIdentity): EncodedOption[] {
  const { clientIdentifier, userClass, vendorClass, architectures, hostname, machineIdentifier } = identity;
  return [
    ...option(OPTION.clientIdentifier, clientIdentifier),
    { code: OPTION.maxMessageSize, value: MAX_MESSAGE_SIZE },
    ...option(OPTION.vendorClass, vendorClass === undefined ? undefined : encodeText(vendorClass)),
    ...option(OPTION.hostName, hostname === undefined ? undefined : encodeText(hostname)),
    ...option(OPTION.userClass, userClass),
    ...option(OPTION.clientArchitecture, architectures === undefined ? undefined : encodeArchitectures(architectures)),
    ...option(
      OPTION.machineIdentifier,
      machineIdentifier === undefined ? undefined : encodeMachineIdentifier(machineIdentifier),
    ),
    { code: OPTION.parameterRequestList, value: Uint8Array.from(identity.parameterRequestList ?? USUAL_PARAMETERS) },
    ...(identity.options ?? []),
  ];
}

function option(code: number, value: Uint8Array | undefined): EncodedOption[] {
  return value === undefined ? [] : [{ code, value }];
}

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
  'efi-ia32': ARCHITECTURE.efiIa32,
  'efi-arm64': ARCHITECTURE.efiArm64,
  'efi-riscv64': ARCHITECTURE.efiRiscv64,
  'http-ia32': ARCHITECTURE.httpIa32,
  'http-x64': ARCHITECTURE.httpX64,
  'http-arm64': ARCHITECTURE.httpArm64,
  'http-riscv64': ARCHITECTURE.httpRiscv64,
  s390x: ARCHITECTURE.s390,
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
  // The loader of QEMU's s390x machines sends neither.
  const isPlain = firmware === 's390x';
  return {
    ...(!isPlain && { vendorClass: `${kind}:Arch:${String(architecture).padStart(5, '0')}:UNDI:${version.join('')}` }),
    architectures: [architecture],
    parameterRequestList: isIpxe ? [...BOOT_PARAMETERS, OPTION.ipxe] : BOOT_PARAMETERS,
    // iPXE sends its user class without a length, and options of its own.
    ...(isIpxe && { userClass: encodeText('iPXE') }),
    ...(machineIdentifier !== undefined && { machineIdentifier }),
    options: [
      ...(isPlain ? [] : [{ code: OPTION.clientInterface, value: Uint8Array.from(undi) }]),
      ...(isIpxe ? [{ code: OPTION.ipxe, value: Uint8Array.of(0xb1, 5, 1, 0x1a, 0xf4, 0x10, 0x00) }] : []),
    ],
  };
}
