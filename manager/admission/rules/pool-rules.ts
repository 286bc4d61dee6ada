import { addressesParse, clusterRanges, excluded, networkSize, ownAddresses, room, widening } from './pool-range.ts';
import { CONFIG, type PoolRule } from './pool-inputs.ts';
import { furtherOptions, leaseTime, nameServices, netboot, relays, routes } from './pool-options.ts';
import { leasedAddresses, rivals, sameWire } from './pool-conflicts.ts';
import {
  ALLOWED_POOL_NAMESPACES_ANNOTATION,
  networkKey,
  addressSpaceOf,
  canonicalMac,
  contains,
  isExcluded,
  parseIpv4,
  reservedAs,
} from '../../../api/index.ts';
import { networkNameErrors, invalid, macProblem, type FieldError } from './verdict.ts';

/** The network name must be valid. A missing network is only a warning: the pool waits for it. */
const network: PoolRule = ({ metadata, spec }, old, { networkExists, podIpam, isAllowed }) => {
  const errors = networkNameErrors('spec.networkName', spec.networkName);
  if (errors.length > 0) return { errors };
  if (networkExists === true && !isAllowed)
    return { errors: [invalid('spec.networkName', spec.networkName, notAllowed(metadata.namespace ?? ''))] };
  const key = networkKey(spec.networkName, metadata.namespace ?? '');
  if (podIpam !== undefined)
    return {
      warnings: [
        `spec.networkName: NetworkAttachmentDefinition ${key} has IPAM of its own (${podIpam}): KubeVirt answers DHCP there, and VMs get no address of the pool; remove ipam from its spec.config`,
      ],
    };
  if (old !== undefined || networkExists === true) return {};
  const what = `spec.networkName: there is no NetworkAttachmentDefinition ${key} yet`;
  return {
    warnings: [networkExists === undefined ? `${what}: Multus is not installed` : `${what}; the pool waits for it`],
  };
};

/** What a network's owner has to do for a pool of another namespace. */
function notAllowed(namespace: string): string {
  return `belongs to another namespace, which has to allow pools of ${namespace} by the annotation ${ALLOWED_POOL_NAMESPACES_ANNOTATION} on the NetworkAttachmentDefinition`;
}

/** A reservation needs a usable address; each address and each owner may have only one reservation. */
const reservations: PoolRule = ({ metadata, spec }) => {
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
    const use = address === undefined ? undefined : reservedAs(space, address);
    if (address === undefined) errors.push(invalid(`${field}.ipAddress`, ipAddress, 'is not an IPv4 address'));
    else if (!contains(space.cidr, address))
      errors.push(invalid(`${field}.ipAddress`, ipAddress, `is not in ${spec.ipv4Config?.cidr ?? ''}`));
    else if (use !== undefined) errors.push(invalid(`${field}.ipAddress`, ipAddress, `is ${use}`));
    else if (isExcluded(space, address)) warnings.push(`${field}.ipAddress: ${ipAddress} is excluded from the pool`);
    once(`${field}.ipAddress`, ipAddress, ipAddress, index);
    if (macAddress !== undefined) {
      const problem = macProblem(macAddress);
      if (problem !== undefined) errors.push(invalid(`${field}.macAddress`, macAddress, problem));
      once(`${field}.macAddress`, macAddress, canonicalMac(macAddress) ?? macAddress, index);
    }
    if (vmName !== undefined) {
      // A name without a namespace refers to a VM in the pool's namespace.
      const key = vmName.includes('/') ? vmName : `${metadata.namespace ?? ''}/${vmName}`;
      once(`${field}.vmName`, vmName, key, index);
    }
  }
  return { errors, warnings };
};

/** The rules for a pool that is created or changed. */
export const POOL_RULES: readonly PoolRule[] = [
  addressesParse,
  networkSize,
  ownAddresses,
  room,
  rivals,
  sameWire,
  widening,
  leasedAddresses,
  excluded,
  reservations,
  nameServices,
  leaseTime,
  routes,
  relays,
  furtherOptions,
  netboot,
  clusterRanges,
  network,
];
