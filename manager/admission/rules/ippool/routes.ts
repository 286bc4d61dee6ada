import { addressSpaceOf, contains, formatIpv4, parseIpv4, parseIpv4Cidr } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

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
