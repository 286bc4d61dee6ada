import * as print from './format.ts';
import { OPTION } from './option-code.ts';

/** Name and format of an option: RFC 2132 and the IANA registry of BOOTP and DHCP parameters. */
export interface OptionKind {
  readonly code: number;
  readonly name: string;
  readonly format: print.Format;
}

const { formatAddresses, formatNumber, formatSeconds, formatText, formatFlag, formatBytes } = print;

const KINDS: readonly [number, string, print.Format][] = [
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
  [OPTION.staticRoutes, 'static-routes', print.formatStaticRoutes],
  [40, 'nis-domain', formatText],
  [41, 'nis-servers', formatAddresses],
  [OPTION.ntpServers, 'ntp-servers', formatAddresses],
  [OPTION.vendorSpecific, 'vendor-specific', print.formatVendorSpecific],
  [44, 'netbios-name-servers', formatAddresses],
  [46, 'netbios-node-type', formatNumber],
  [47, 'netbios-scope', formatText],
  [OPTION.requestedAddress, 'requested-address', formatAddresses],
  [OPTION.leaseTime, 'lease-time', formatSeconds],
  [OPTION.overload, 'overload', formatNumber],
  [OPTION.messageType, 'message-type', print.formatMessageType],
  [OPTION.serverIdentifier, 'server-identifier', formatAddresses],
  [OPTION.parameterRequestList, 'parameter-request-list', print.formatCodes],
  [OPTION.message, 'message', formatText],
  [OPTION.maxMessageSize, 'max-message-size', formatNumber],
  [OPTION.renewalTime, 'renewal-time', formatSeconds],
  [OPTION.rebindingTime, 'rebinding-time', formatSeconds],
  [OPTION.vendorClass, 'vendor-class', formatText],
  [OPTION.clientIdentifier, 'client-identifier', print.formatClientIdentifier],
  [OPTION.tftpServerName, 'tftp-server-name', formatText],
  [OPTION.bootFileName, 'boot-file-name', formatText],
  [69, 'smtp-servers', formatAddresses],
  [70, 'pop3-servers', formatAddresses],
  [OPTION.userClass, 'user-class', print.formatUserClasses],
  [OPTION.rapidCommit, 'rapid-commit', () => 'yes'],
  [OPTION.clientFqdn, 'client-fqdn', print.formatClientFqdn],
  [OPTION.relayAgent, 'relay-agent', print.formatRelayAgent],
  [OPTION.clientArchitecture, 'client-architecture', print.formatArchitectures],
  [OPTION.clientInterface, 'client-interface', print.formatClientInterface],
  [OPTION.machineIdentifier, 'machine-identifier', print.formatMachineIdentifier],
  [100, 'timezone-posix', formatText],
  [101, 'timezone-name', formatText],
  [OPTION.ipv6OnlyPreferred, 'ipv6-only-preferred', formatSeconds],
  [OPTION.captivePortal, 'captive-portal', formatText],
  [116, 'auto-configure', formatFlag],
  [OPTION.subnetSelection, 'subnet-selection', formatAddresses],
  [OPTION.domainSearch, 'domain-search', print.formatDomains],
  [OPTION.classlessRoutes, 'classless-routes', print.formatClasslessRoutes],
  [OPTION.tftpServers, 'tftp-servers', formatAddresses],
  [OPTION.ipxe, 'ipxe', print.formatVendorSpecific],
  [208, 'pxelinux-magic', formatBytes],
  [209, 'pxelinux-config-file', formatText],
  [210, 'pxelinux-path-prefix', formatText],
  [211, 'pxelinux-reboot-time', formatSeconds],
  [OPTION.microsoftRoutes, 'microsoft-routes', print.formatClasslessRoutes],
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
