import {
  addressSpaceOf,
  standingOf,
  isExcluded,
  parseIpv4,
  type IPPool,
  type IPLease,
  type PoolProblem,
} from '../../../api/index.ts';
import { invalid, type Verdict } from './verdict.ts';
import { CONFIG, type PoolRule } from './pool-inputs.ts';

/** No other pool of the network may lease the same addresses or use an address for something else that is a server's. */
export const rivals: PoolRule = (pool, _old, { others }) => {
  const conflict = conflictWith(pool, others);
  return conflict === undefined ? {} : { errors: [invalid(conflict.field, conflict.value, conflict.message)] };
};

/**
 * Warns about the same conflicts with pools on other net-attach-defs of the namespace that seem to be the same network. Not
 * refused: bridges of one name may be different networks on different nodes.
 */
export const sameWire: PoolRule = (pool, _old, { onSameWire }) => {
  const conflict = conflictWith(pool, onSameWire);
  if (conflict === undefined) return {};
  const { field, value, message } = conflict;
  return {
    warnings: [`${field}: ${value} ${message}, if net-attach-defs with the same bridge and VLAN are the same network`],
  };
};

function conflictWith(pool: IPPool, others: readonly IPPool[]): PoolProblem | undefined {
  // Treat this pool as the youngest, so that it conflicts with every existing pool.
  const youngest = { ...pool, metadata: { ...pool.metadata, creationTimestamp: '9999', uid: '' } };
  const standing = standingOf(youngest, others);
  return standing.holds ? undefined : standing.conflict;
}

/** Maximum number of leases in a message. */
const NAMED_LEASES = 3;

/** Rejects a leased address as that of a server or the router; warns about an exclusion of leased addresses, which stay leased until released. */
export const leasedAddresses: PoolRule = ({ spec }, old, { leases }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined || leases.length === 0) return {};
  const before = old === undefined ? undefined : addressSpaceOf(old.spec).space;
  const { serverIP = '', serverIPs = [serverIP], router = '' } = spec.ipv4Config ?? {};
  const own: [field: string, value: string][] = [
    ...serverIPs.map((server, index): [string, string] => [index === 0 ? 'serverIP' : `serverIPs[${index}]`, server]),
    ['router', router],
  ];
  const errors = own.flatMap(([field, value]) => {
    const lease = leases.find((one) => one.spec.ipAddress === value);
    return lease === undefined ? [] : [invalid(`${CONFIG}.${field}`, value, `is leased to ${holderOf(lease)}`)];
  });
  const excluded = leases.filter(({ spec: { ipAddress } }) => {
    const address = parseIpv4(ipAddress);
    return (
      address !== undefined && isExcluded(space, address) && !(before !== undefined && isExcluded(before, address))
    );
  });
  if (excluded.length === 0) return { errors };
  const named = excluded.slice(0, NAMED_LEASES).map((lease) => `${lease.spec.ipAddress} (${holderOf(lease)})`);
  const more = excluded.length > NAMED_LEASES ? ` and ${excluded.length - NAMED_LEASES} more` : '';
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

/** Maximum number of users in a message. */
const NAMED_USERS = 10;

/** Rejects the deletion of a pool in use. `leases`: the pool's leases that are neither released nor retained. */
export function inUse({ metadata }: IPPool, leases: readonly IPLease[], areMore: boolean): Verdict {
  if (leases.length === 0) return {};
  const users = leases.slice(0, NAMED_USERS).map(({ spec }) => {
    const { vmNetworkConfigRef: config, ipAddress, macAddress } = spec;
    const who =
      config === undefined ? macAddress : `VirtualMachineNetworkConfig ${config.namespace ?? ''}/${config.name}`;
    return `${who} (${ipAddress})`;
  });
  const more = areMore || leases.length > users.length ? ' and others' : '';
  return {
    errors: [
      {
        field: 'metadata.name',
        type: 'Forbidden',
        detail: `IPPool ${metadata.name} is in use by ${users.join(', ')}${more}; delete these, or their virtual machines, first`,
      },
    ],
  };
}
