import { formatIpv4 } from '../../../api/index.ts';
import {
  decodeAddresses,
  decodeClasslessRoutes,
  decodeDomainSearch,
  decodeText,
  decodeU16,
  decodeU32,
  OPTION,
  optionOf,
  type DhcpMessage,
  type StaticRoute,
} from '../../../protocols/dhcp/index.ts';
import type { Lease } from '@groundcrew/kubevirt-simulator/guest';

const ALL_ONES = 0xffff_ffff;

/** Converts an ACK to the settings that a guest applies. */
export function leaseOf(message: DhcpMessage): Lease {
  const mask = read(message, OPTION.subnetMask, decodeU32) ?? ALL_ONES;
  const routes = read(message, OPTION.classlessRoutes, decodeClasslessRoutes);
  // If classless routes (option 121) are present, they contain the router and option 3 is ignored (RFC 3442).
  const gateway =
    routes === undefined
      ? read(message, OPTION.routers, decodeAddresses)?.[0]
      : routes.find(({ prefix }) => prefix === 0)?.gateway;
  const domain = read(message, OPTION.domainName, decodeText);
  const search = read(message, OPTION.domainSearch, decodeDomainSearch) ?? (domain === undefined ? [] : [domain]);
  const mtu = read(message, OPTION.interfaceMtu, decodeU16);
  const server = read(message, OPTION.serverIdentifier, decodeU32) ?? 0;
  return {
    address: formatIpv4(message.yiaddr),
    netmask: formatIpv4(mask),
    prefix: Math.clz32(~mask),
    ...(gateway === undefined ? {} : { gateway: formatIpv4(gateway) }),
    ...(routes === undefined ? {} : { routes: routes.filter(({ prefix }) => prefix > 0).map(routeOf) }),
    dns: (read(message, OPTION.domainNameServers, decodeAddresses) ?? []).map(formatIpv4),
    search,
    ...(mtu === undefined ? {} : { mtu }),
    server: formatIpv4(server),
    ...bootFileOf(message),
  };
}

function routeOf({ destination, prefix, gateway }: StaticRoute): { destination: string; gateway: string } {
  return { destination: `${formatIpv4(destination)}/${prefix}`, gateway: formatIpv4(gateway) };
}

/** From options 66 and 67 or from the BOOTP header fields (RFC 2131 §2). */
function bootFileOf(message: DhcpMessage): Pick<Lease, 'bootFile' | 'nextServer'> {
  const file = read(message, OPTION.bootFileName, decodeText) ?? decodeText(message.file);
  if (file === '') return {};
  const named = read(message, OPTION.tftpServerName, decodeText);
  const nextServer = message.siaddr === 0 ? named : formatIpv4(message.siaddr);
  return { bootFile: file, ...(nextServer === undefined ? {} : { nextServer }) };
}

function read<T>(message: DhcpMessage, code: number, decode: (value: Uint8Array) => T | undefined): T | undefined {
  const value = optionOf(message, code);
  return value === undefined ? undefined : decode(value);
}
