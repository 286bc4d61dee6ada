import { parseIpv4 } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

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
