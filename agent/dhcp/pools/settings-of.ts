import {
  DHCP_PROTOCOL_OPTIONS,
  encodeDhcpOption,
  type IPPool,
  type IPPoolSpec,
  type Ipv4,
  leaseTimeOf,
  parseIpv4,
  parseIpv4Cidr,
  parseIpv4Network,
} from '../../../api/index.ts';
import type { Netboot, NetworkSettings, StaticRoute, Subnet } from '../../../protocols/dhcp/index.ts';

/** The result of reading a pool. */
export interface PoolReading {
  /** Absent: this agent does not serve the pool. */
  settings?: NetworkSettings;
  /** Invalid parts, which are ignored: `spec.ipv4Config.options[code=43]: "xyz" is not a valid hex value`. */
  problems: readonly string[];
}

type Ipv4Config = NonNullable<IPPoolSpec['ipv4Config']>;
type Report = (field: string, value: string, message: string) => void;

/**
 * The settings of a pool for a DHCP server.
 *
 * @param index of the agent, which selects its server address
 */
export function settingsOf(pool: IPPool, index: number): PoolReading {
  const config = pool.spec.ipv4Config;
  if (config === undefined) return { problems: [] };
  const problems: string[] = [];
  const report: Report = (field, value, message) => {
    problems.push(`spec.ipv4Config.${field}: "${value}" ${message}`);
  };
  const network = parseIpv4Cidr(config.cidr);
  if (network === undefined) report('cidr', config.cidr, 'is not an IPv4 network, such as 10.0.0.0/24');
  const servers = serversOf(pool);
  const own = servers[index];
  if (own === undefined) return { problems };
  const serverAddress = parseIpv4(own);
  if (serverAddress === undefined) report('serverIPs', own, 'is not an IPv4 address');
  if (network === undefined || serverAddress === undefined) return { problems };
  const netboot = netbootOf(config, report);
  const settings: NetworkSettings = {
    pool: pool.metadata.name,
    serverAddress,
    siblings: addresses('serverIPs', servers, report),
    subnet: network.first,
    prefix: network.prefix,
    ...optional('relays', config.relays && relaysOf(config.relays, report)),
    ...optional('router', config.router === undefined ? undefined : address('router', config.router, report)),
    dns: addresses('dns', config.dns, report),
    ...optional('domainName', config.domainName === '' ? undefined : config.domainName),
    domainSearch: config.domainSearch ?? [],
    ntp: ntpOf(pool),
    leaseTime: leaseTimeOf(pool.spec),
    routes: routesOf(config, report),
    ...optional('mtu', config.mtu),
    options: optionsOf(config, report),
    ...optional('netboot', netboot),
  };
  return { settings, problems };
}

/** The addresses that the manager resolved, and those in the spec, which work without the manager. */
function ntpOf({ spec, status }: IPPool): Ipv4[] {
  const texts = [...(status?.ipv4?.ntpServers ?? []), ...(spec.ipv4Config?.ntp ?? [])];
  return [...new Set(texts.map(parseIpv4).filter((server) => server !== undefined))];
}

function relaysOf(relays: readonly string[], report: Report): Subnet[] {
  return relays.flatMap((relay) => {
    const network = parseIpv4Network(relay);
    if (network !== undefined) return { subnet: network.first, prefix: network.prefix };
    report('relays', relay, 'is neither an IPv4 address nor a network');
    return [];
  });
}

function routesOf({ routes = [] }: Ipv4Config, report: Report): StaticRoute[] {
  return routes.flatMap(({ destination, gateway }) => {
    const network = parseIpv4Cidr(destination);
    if (network === undefined) report('routes', destination, 'is not an IPv4 network, such as 10.0.0.0/24');
    const router = address('routes', gateway, report);
    if (network === undefined || router === undefined) return [];
    return [{ destination: network.first, prefix: network.prefix, gateway: router }];
  });
}

function optionsOf({ options = [] }: Ipv4Config, report: Report): { code: number; value: Uint8Array }[] {
  return options.flatMap((option) => {
    const field = `options[code=${option.code}]`;
    const own = DHCP_PROTOCOL_OPTIONS[option.code];
    if (own !== undefined) {
      report(field, option.value, `is not sent: the DHCP protocol uses the option itself (${own})`);
      return [];
    }
    const value = encodeDhcpOption(option);
    if (value === undefined) {
      report(field, option.value, `is not a valid ${option.type} value`);
      return [];
    }
    return [{ code: option.code, value }];
  });
}

function netbootOf({ netboot }: Ipv4Config, report: Report): Netboot | undefined {
  if (netboot === undefined) return undefined;
  const { nextServer, bootFiles = {} } = netboot;
  const files = Object.entries(bootFiles).filter(([, file]) => file !== '');
  return {
    ...optional('nextServer', nextServer === undefined ? undefined : address('netboot.nextServer', nextServer, report)),
    bootFiles: Object.fromEntries(files),
  };
}

function addresses(field: string, texts: readonly string[] = [], report: Report): Ipv4[] {
  return texts.map((text) => address(field, text, report)).filter((value) => value !== undefined);
}

function address(field: string, text: string, report: Report): Ipv4 | undefined {
  const parsed = parseIpv4(text);
  if (parsed === undefined) report(field, text, 'is not an IPv4 address');
  return parsed;
}

function optional<Field extends string, Value>(field: Field, value: Value | undefined): Partial<Record<Field, Value>> {
  // A computed property widens the type of the object to any string.
  return value === undefined ? {} : ({ [field]: value } as Record<Field, Value>);
}

/** Addresses of a pool's servers without duplicates; agent i has the i-th. */
function serversOf({ spec: { ipv4Config } }: IPPool): readonly string[] {
  return ipv4Config === undefined ? [] : [...new Set([ipv4Config.serverIP, ...(ipv4Config.serverIPs ?? [])])];
}
