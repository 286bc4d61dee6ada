import type { EncodedOption } from '../codec/message.ts';
import type { HardwareAddress, Ipv4 } from '../lease.ts';
import { encodeArchitectures } from '../options/architectures.ts';
import { encodeMachineIdentifier } from '../options/machine-identifier.ts';
import { OPTION } from '../options/option-code.ts';
import { encodeText } from '../options/text.ts';

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
