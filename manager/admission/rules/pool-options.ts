import {
  parseIpv4,
  addressSpaceOf,
  contains,
  formatIpv4,
  parseIpv4Cidr,
  parseIpv4Network,
  DEFAULT_LEASE_TIME,
  DHCP_PROTOCOL_OPTIONS,
  encodeDhcpOption,
  type DhcpOption,
} from '../../../api/index.ts';
import { invalid, type FieldError } from './verdict.ts';
import { CONFIG, type PoolRule } from './pool-inputs.ts';
import { optionMismatch } from './option-forms.ts';
import { hostBits } from './pool-range.ts';

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** DNS servers must be addresses, NTP servers addresses or names, and domains valid domains. */
export const nameServices: PoolRule = ({ spec }) => {
  const { dns = [], ntp = [], domainName, domainSearch = [] } = spec.ipv4Config ?? {};
  const errors: FieldError[] = [];
  for (const [index, server] of dns.entries())
    if (!isHostAddress(server)) errors.push(invalid(`${CONFIG}.dns[${index}]`, server, "is not a host's IPv4 address"));
  for (const [index, server] of ntp.entries()) {
    // Text of only digits and dots is treated as an address.
    const isFit = /^[0-9.]+$/.test(server) ? isHostAddress(server) : isDomain(server);
    if (!isFit)
      errors.push(invalid(`${CONFIG}.ntp[${index}]`, server, "is neither a host's IPv4 address nor a DNS name"));
  }
  if (domainName !== undefined && domainName !== '' && !isDomain(domainName))
    errors.push(invalid(`${CONFIG}.domainName`, domainName, 'is not a domain name'));
  for (const [index, domain] of domainSearch.entries())
    if (!isDomain(domain)) errors.push(invalid(`${CONFIG}.domainSearch[${index}]`, domain, 'is not a domain name'));
  return { errors };
};

/** RFC 1035 §2.3.4, with or without the trailing dot. Underscores are allowed because they are in use. */
function isDomain(text: string): boolean {
  const name = text.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
}

function isHostAddress(text: string): boolean {
  const address = parseIpv4(text);
  return address !== undefined && address >= 2 ** 24 && address < 0xe0_00_00_00;
}

/** Seconds. */
const DAY = 86_400;

/** Warns about a lease time of more than a week: the address of a deleted VM rests for so long. */
export const leaseTime: PoolRule = ({ spec }) => {
  const seconds = spec.ipv4Config?.leaseTime ?? DEFAULT_LEASE_TIME;
  if (seconds <= 7 * DAY) return {};
  const days = Math.floor(seconds / DAY);
  return {
    warnings: [
      `${CONFIG}.leaseTime: ${seconds}: no other VM gets the address of a deleted VM for ${days} days; the default is ${DEFAULT_LEASE_TIME}, 12 hours`,
    ],
  };
};

/** Each static route needs a unique destination and a gateway that VMs can reach. */
export const routes: PoolRule = ({ spec }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined) return {};
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  const seen = new Map<string, number>();
  for (const [index, { destination, gateway }] of (spec.ipv4Config?.routes ?? []).entries()) {
    const field = `${CONFIG}.routes[${index}]`;
    const cidr = parseIpv4Cidr(destination);
    const router = parseIpv4(gateway);
    if (cidr === undefined)
      errors.push(invalid(`${field}.destination`, destination, 'is not an IPv4 network, such as 10.1.0.0/16'));
    else {
      const problem = hostBits(destination, cidr);
      if (problem !== undefined) errors.push(invalid(`${field}.destination`, destination, problem));
      const key = `${formatIpv4(cidr.first)}/${cidr.prefix}`;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, index);
      else
        errors.push({
          field: `${field}.destination`,
          type: 'Duplicate',
          value: destination,
          detail: `is that of routes[${first}]`,
        });
    }
    if (router === undefined) errors.push(invalid(`${field}.gateway`, gateway, 'is not an IPv4 address'));
    // 0.0.0.0 means that the destination is on the link (RFC 3442).
    else if (router !== 0 && !contains(space.cidr, router))
      warnings.push(`${field}.gateway: ${gateway} is not in ${spec.ipv4Config?.cidr ?? ''}: VMs may not reach it`);
  }
  return { errors, warnings };
};

/** The widest network of relay agents. A wider one would lead more than answers to relay agents through the VM network. */
const WIDEST = 16;

/** Relay agents need addresses that agents can answer to through the router of the network. */
export const relays: PoolRule = ({ spec }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined) return {};
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  for (const [index, relay] of (spec.ipv4Config?.relays ?? []).entries()) {
    const field = `${CONFIG}.relays[${index}]`;
    const network = parseIpv4Network(relay);
    const problem =
      network === undefined || network.prefix < WIDEST || !isHostAddress(formatIpv4(network.last))
        ? `is neither a host's IPv4 address nor a network such as 10.1.0.0/28; the widest is /${WIDEST}`
        : hostBits(relay.includes('/') ? relay : `${relay}/32`, network);
    if (problem !== undefined) errors.push(invalid(field, relay, problem));
    else if (network !== undefined && contains(space.cidr, network.first))
      warnings.push(`${field}: ${relay} is in cidr, so it is answered anyway`);
    else if (space.router === undefined)
      warnings.push(`${field}: ${relay} gets no answer: agents reach it through router, which is not set`);
  }
  return { errors, warnings };
};

/** A pool may set the option code, and the value must match its type. */
export const furtherOptions: PoolRule = ({ spec }) => {
  const errors: FieldError[] = [];
  for (const [index, option] of (spec.ipv4Config?.options ?? []).entries()) {
    const field = `${CONFIG}.options[${index}]`;
    const own = DHCP_PROTOCOL_OPTIONS[option.code];
    if (own !== undefined)
      errors.push({
        field: `${field}.code`,
        type: 'Forbidden',
        detail: `${option.code} is the protocol's own (${own})`,
      });
    if (encodeDhcpOption(option) === undefined)
      errors.push(invalid(`${field}.value`, option.value, WANTED[option.type]));
    const mismatch = optionMismatch(option);
    if (mismatch !== undefined) errors.push(invalid(`${field}.type`, option.type, mismatch));
  }
  return { errors };
};

/** The error message for a value that does not match its type. */
const WANTED: Record<DhcpOption['type'], string> = {
  text: 'is empty, or has a NUL in it',
  ip: 'is not an IPv4 address',
  ips: 'is not a list of IPv4 addresses, separated by commas',
  uint8: 'is not a number of 8 bits',
  uint16: 'is not a number of 16 bits',
  uint32: 'is not a number of 32 bits',
  boolean: 'is neither true nor false',
  hex: 'is not in hexadecimal, two digits to a byte',
};

/** Settings with which a network boot would fail. */
export const netboot: PoolRule = ({ spec }) => {
  const { nextServer, bootFiles = {} } = spec.ipv4Config?.netboot ?? {};
  const field = `${CONFIG}.netboot`;
  const files = Object.entries(bootFiles).filter(([, file]) => file !== '');
  const warnings: string[] = [];
  // Firmware reads its files by TFTP, which needs a server; iPXE and HTTP clients read URLs.
  const byTftp = files.filter(([client, file]) => !client.startsWith('http-') && !isUrl(file));
  if (nextServer === undefined && byTftp.length > 0)
    warnings.push(
      `${field}.nextServer: is needed for ${byTftp.map(([client]) => `bootFiles.${client}`).join(', ')}, read by TFTP`,
    );
  if (nextServer !== undefined && files.length === 0)
    warnings.push(`${field}.bootFiles: is empty, so no client boots from ${nextServer}`);
  return { warnings: [...warnings, ...bootUrls(`${field}.bootFiles`, bootFiles)] };
};

/** Warnings about boot files of HTTP clients that are not URLs. */
export function bootUrls(field: string, bootFiles: Readonly<Record<string, string>>): string[] {
  return Object.entries(bootFiles)
    .filter(([client, file]) => client.startsWith('http-') && file !== '' && !/^https?:\/\//.test(file))
    .map(([client, file]) => `${field}.${client}: ${JSON.stringify(file)} is not an http or https URL`);
}

function isUrl(file: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(file);
}
