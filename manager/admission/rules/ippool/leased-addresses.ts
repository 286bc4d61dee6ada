import { addressSpaceOf, isExcluded, parseIpv4, type IPLease } from '../../../../api/index.ts';
import { invalid } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** Maximum number of leases in a message. */
const NAMED = 3;

/** Rejects a leased address as a server address; warns about an exclusion of leased addresses, which stay leased until released. */
export const leasedAddresses: PoolRule = ({ spec }, old, { leases }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined || leases.length === 0) return {};
  const before = old === undefined ? undefined : addressSpaceOf(old.spec).space;
  const servers = spec.ipv4Config?.serverIPs ?? [spec.ipv4Config?.serverIP ?? ''];
  const errors = servers.flatMap((server, index) => {
    const lease = leases.find((one) => one.spec.ipAddress === server);
    if (lease === undefined) return [];
    const field = index === 0 ? 'serverIP' : `serverIPs[${index}]`;
    return [invalid(`${CONFIG}.${field}`, server, `is leased to ${holderOf(lease)}`)];
  });
  const excluded = leases.filter(({ spec: { ipAddress } }) => {
    const address = parseIpv4(ipAddress);
    return (
      address !== undefined && isExcluded(space, address) && !(before !== undefined && isExcluded(before, address))
    );
  });
  if (excluded.length === 0) return { errors };
  const named = excluded.slice(0, NAMED).map((lease) => `${lease.spec.ipAddress} (${holderOf(lease)})`);
  const more = excluded.length > NAMED ? ` and ${excluded.length - NAMED} more` : '';
  return { errors, warnings: [`${CONFIG}.pool.exclude: still leased until released: ${named.join(', ')}${more}`] };
};

/** The VM or MAC address that holds the lease, for messages. */
export function holderOf({ metadata, spec }: IPLease): string {
  const { vmRef, vmNetworkConfigRef: config, macAddress } = spec;
  if (vmRef !== undefined)
    return `VirtualMachine ${vmRef.namespace ?? metadata.namespace ?? ''}/${vmRef.name}, ${macAddress}`;
  if (config !== undefined)
    return `VirtualMachineNetworkConfig ${config.namespace ?? ''}/${config.name}, ${macAddress}`;
  return macAddress;
}
