import { addressSpaceOf, canonicalMac, contains, isExcluded, isReserved, parseIpv4 } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** A reservation needs a usable address; each address and each owner may have only one reservation. */
export const reservations: PoolRule = ({ metadata, spec }) => {
  const { space } = addressSpaceOf(spec);
  const list = spec.ipv4Config?.reservations ?? [];
  if (space === undefined) return {};
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  const seen = new Map<string, number>();
  const once = (field: string, value: string, key: string, index: number): void => {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else errors.push({ field, type: 'Duplicate', value, detail: `is that of reservations[${first}]` });
  };
  for (const [index, { ipAddress, macAddress, vmName }] of list.entries()) {
    const field = `${CONFIG}.reservations[${index}]`;
    const address = parseIpv4(ipAddress);
    if (address === undefined) errors.push(invalid(`${field}.ipAddress`, ipAddress, 'is not an IPv4 address'));
    else if (!contains(space.cidr, address))
      errors.push(invalid(`${field}.ipAddress`, ipAddress, `is not in ${spec.ipv4Config?.cidr ?? ''}`));
    else if (isReserved(space, address))
      errors.push(
        invalid(`${field}.ipAddress`, ipAddress, "is the network's, the broadcast, the router's or a server's address"),
      );
    else if (isExcluded(space, address)) warnings.push(`${field}.ipAddress: ${ipAddress} is excluded from the pool`);
    once(`${field}.ipAddress`, ipAddress, ipAddress, index);
    if (macAddress !== undefined) {
      const mac = canonicalMac(macAddress);
      if (mac === undefined) errors.push(invalid(`${field}.macAddress`, macAddress, 'is not a MAC address'));
      once(`${field}.macAddress`, macAddress, mac ?? macAddress, index);
    }
    if (vmName !== undefined) {
      // A name without a namespace refers to a VM in the pool's namespace.
      const key = vmName.includes('/') ? vmName : `${metadata.namespace ?? ''}/${vmName}`;
      once(`${field}.vmName`, vmName, key, index);
    }
  }
  return { errors, warnings };
};
