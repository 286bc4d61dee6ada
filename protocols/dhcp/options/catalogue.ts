import { OPTION } from './option-code.ts';
import { messageTypeName } from '../codec/header.ts';
import { formatAddress } from '../../udp/ipv4-text.ts';
import { decodeAddresses, decodeText, decodeU16, decodeU32, decodeU8 } from './values.ts';
import {
  architectureName,
  decodeArchitectures,
  decodeClientIdentifier,
  decodeClientInterface,
  decodeMachineIdentifier,
  decodeUserClasses,
} from './identifiers.ts';
import { decodeClasslessRoutes, decodeStaticRoutes } from './routes.ts';
import { decodeClientFqdn, decodeDomainSearch } from './domain-names.ts';
import { decodeSubOptions } from './sub-options.ts';

/** Name and format of an option: RFC 2132 and the IANA registry of BOOTP and DHCP parameters. */
export interface OptionKind {
  readonly code: number;
  readonly name: string;
  readonly format: Format;
}

const KINDS: readonly [number, string, Format][] = [
  [OPTION.subnetMask, 'subnet-mask', formatAddresses],
  [2, 'time-offset', formatSeconds],
  [OPTION.routers, 'routers', formatAddresses],
  [4, 'time-servers', formatAddresses],
  [5, 'name-servers', formatAddresses],
  [OPTION.domainNameServers, 'domain-name-servers', formatAddresses],
  [7, 'log-servers', formatAddresses],
  [9, 'lpr-servers', formatAddresses],
  [OPTION.hostName, 'host-name', formatText],
  [13, 'boot-file-size', formatNumber],
  [OPTION.domainName, 'domain-name', formatText],
  [16, 'swap-server', formatAddresses],
  [17, 'root-path', formatText],
  [19, 'ip-forwarding', formatFlag],
  [23, 'default-ttl', formatNumber],
  [OPTION.interfaceMtu, 'interface-mtu', formatNumber],
  [OPTION.broadcastAddress, 'broadcast-address', formatAddresses],
  [31, 'router-discovery', formatFlag],
  [OPTION.staticRoutes, 'static-routes', formatStaticRoutes],
  [40, 'nis-domain', formatText],
  [41, 'nis-servers', formatAddresses],
  [OPTION.ntpServers, 'ntp-servers', formatAddresses],
  [OPTION.vendorSpecific, 'vendor-specific', formatVendorSpecific],
  [44, 'netbios-name-servers', formatAddresses],
  [46, 'netbios-node-type', formatNumber],
  [47, 'netbios-scope', formatText],
  [OPTION.requestedAddress, 'requested-address', formatAddresses],
  [OPTION.leaseTime, 'lease-time', formatSeconds],
  [OPTION.overload, 'overload', formatNumber],
  [OPTION.messageType, 'message-type', formatMessageType],
  [OPTION.serverIdentifier, 'server-identifier', formatAddresses],
  [OPTION.parameterRequestList, 'parameter-request-list', formatCodes],
  [OPTION.message, 'message', formatText],
  [OPTION.maxMessageSize, 'max-message-size', formatNumber],
  [OPTION.renewalTime, 'renewal-time', formatSeconds],
  [OPTION.rebindingTime, 'rebinding-time', formatSeconds],
  [OPTION.vendorClass, 'vendor-class', formatText],
  [OPTION.clientIdentifier, 'client-identifier', formatClientIdentifier],
  [OPTION.tftpServerName, 'tftp-server-name', formatText],
  [OPTION.bootFileName, 'boot-file-name', formatText],
  [69, 'smtp-servers', formatAddresses],
  [70, 'pop3-servers', formatAddresses],
  [OPTION.userClass, 'user-class', formatUserClasses],
  [OPTION.rapidCommit, 'rapid-commit', () => 'yes'],
  [OPTION.clientFqdn, 'client-fqdn', formatClientFqdn],
  [OPTION.relayAgent, 'relay-agent', formatRelayAgent],
  [OPTION.clientArchitecture, 'client-architecture', formatArchitectures],
  [OPTION.clientInterface, 'client-interface', formatClientInterface],
  [OPTION.machineIdentifier, 'machine-identifier', formatMachineIdentifier],
  [100, 'timezone-posix', formatText],
  [101, 'timezone-name', formatText],
  [OPTION.ipv6OnlyPreferred, 'ipv6-only-preferred', formatSeconds],
  [OPTION.captivePortal, 'captive-portal', formatText],
  [116, 'auto-configure', formatFlag],
  [OPTION.subnetSelection, 'subnet-selection', formatAddresses],
  [OPTION.domainSearch, 'domain-search', formatDomains],
  [OPTION.classlessRoutes, 'classless-routes', formatClasslessRoutes],
  [OPTION.tftpServers, 'tftp-servers', formatAddresses],
  [OPTION.ipxe, 'ipxe', formatVendorSpecific],
  [208, 'pxelinux-magic', formatBytes],
  [209, 'pxelinux-config-file', formatText],
  [210, 'pxelinux-path-prefix', formatText],
  [211, 'pxelinux-reboot-time', formatSeconds],
  [OPTION.microsoftRoutes, 'microsoft-routes', formatClasslessRoutes],
  [OPTION.proxyAutoDiscovery, 'proxy-auto-discovery', formatText],
];

/** By code. */
export const OPTIONS: ReadonlyMap<number, OptionKind> = new Map(
  KINDS.map(([code, name, format]) => [code, { code, name, format }]),
);

/** `domain-name-servers`; `option 224` for an unknown option. */
export function optionName(code: number): string {
  return OPTIONS.get(code)?.name ?? `option ${code}`;
}

/** The value as text; hexadecimal if the option is unknown or its value is invalid. */
export function formatOption(code: number, value: Uint8Array): string {
  return OPTIONS.get(code)?.format(value) ?? formatBytes(value);
}

/** Formats the value of an option; undefined if it is invalid, then it is printed as bytes. */
type Format = (value: Uint8Array) => string | undefined;

function formatBytes(value: Uint8Array): string {
  return Buffer.from(value)
    .toString('hex')
    .replace(/..(?=.)/g, '$&:');
}

function formatAddresses(value: Uint8Array): string | undefined {
  return decodeAddresses(value)?.map(formatAddress).join(', ');
}

function formatNumber(value: Uint8Array): string | undefined {
  return (decodeU8(value) ?? decodeU16(value) ?? decodeU32(value))?.toString();
}

function formatSeconds(value: Uint8Array): string | undefined {
  const seconds = decodeU32(value);
  return seconds === undefined ? undefined : `${seconds} s`;
}

/** Control characters are escaped: a peer must not be able to control the terminal. */
function formatText(value: Uint8Array): string | undefined {
  return decodeText(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, (found) => {
    return `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

function formatFlag(value: Uint8Array): string | undefined {
  const flag = decodeU8(value);
  return flag === undefined ? undefined : flag === 0 ? 'no' : 'yes';
}

function formatMessageType(value: Uint8Array): string | undefined {
  const type = decodeU8(value);
  return type === undefined ? undefined : messageTypeName(type);
}

function formatCodes(value: Uint8Array): string | undefined {
  return [...value].join(', ');
}

function formatArchitectures(value: Uint8Array): string | undefined {
  return decodeArchitectures(value)?.map(architectureName).join(', ');
}

function formatClasslessRoutes(value: Uint8Array): string | undefined {
  return decodeClasslessRoutes(value)
    ?.map(({ destination, prefix, gateway }) => `${formatAddress(destination)}/${prefix} via ${formatAddress(gateway)}`)
    .join(', ');
}

function formatStaticRoutes(value: Uint8Array): string | undefined {
  return decodeStaticRoutes(value)
    ?.map(({ destination, gateway }) => `${formatAddress(destination)} via ${formatAddress(gateway)}`)
    .join(', ');
}

function formatDomains(value: Uint8Array): string | undefined {
  const names = decodeDomainSearch(value)?.join(', ');
  return names === undefined ? undefined : formatText(Buffer.from(names));
}

function formatUserClasses(value: Uint8Array): string | undefined {
  return formatText(Buffer.from(decodeUserClasses(value).join(', ')));
}

function formatClientIdentifier(value: Uint8Array): string | undefined {
  const identifier = decodeClientIdentifier(value);
  switch (identifier?.kind) {
    case 'hardware':
      return formatBytes(value.subarray(1));
    case 'duid':
      return `IAID ${identifier.iaid}, DUID ${formatBytes(identifier.duid)}`;
    default:
      return undefined;
  }
}

function formatClientFqdn(value: Uint8Array): string | undefined {
  const fqdn = decodeClientFqdn(value);
  return fqdn && `${formatText(Buffer.from(fqdn.name)) ?? ''} (flags ${fqdn.flags})`;
}

function formatClientInterface(value: Uint8Array): string | undefined {
  const found = decodeClientInterface(value);
  return found && `${found.type === 1 ? 'UNDI' : `type ${found.type}`} ${found.major}.${found.minor}`;
}

function formatMachineIdentifier(value: Uint8Array): string | undefined {
  const uuid = decodeMachineIdentifier(value);
  return (
    uuid &&
    Buffer.from(uuid)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  );
}

function formatParts(value: Uint8Array, hasEnd: boolean): string | undefined {
  return decodeSubOptions(value, hasEnd)
    ?.map((part) => `${part.code}=${formatBytes(part.value)}`)
    .join(' ');
}

function formatRelayAgent(value: Uint8Array): string | undefined {
  return formatParts(value, false);
}

function formatVendorSpecific(value: Uint8Array): string | undefined {
  return formatParts(value, true);
}
