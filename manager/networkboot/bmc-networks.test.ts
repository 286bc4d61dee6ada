import { expect, it } from 'vitest';
import { IP_POOLS, type IPLease, type IPPool, LABELS, NETWORK_ATTACHMENT_DEFINITIONS } from '../../api/index.ts';
import { networkInterfacesOf } from './bmc-networks.ts';

const pool: IPPool = {
  ...{ apiVersion: 'network.harvesterhci.io/v1alpha1', kind: IP_POOLS.kind, metadata: { name: 'pool' } },
  spec: {
    networkName: 'prod',
    ipv4Config: {
      ...{ cidr: '10.0.0.0/20', serverIP: '10.0.0.2', router: '10.0.0.1', dns: ['10.0.0.3'] },
      pool: { start: '10.0.0.10', end: '10.0.0.19' },
    },
  },
};
const network = {
  ...{ apiVersion: 'k8s.cni.cncf.io/v1', kind: NETWORK_ATTACHMENT_DEFINITIONS.kind, metadata: { name: 'prod' } },
  spec: { config: JSON.stringify({ type: 'bridge', bridge: 'br0', vlan: 7 }) },
};

function aLease(
  ipAddress: string,
  interfaceName: string | undefined,
  macAddress: string,
  labels: Record<string, string> = {},
): IPLease {
  return {
    ...{ apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'IPLease' },
    metadata: { name: `pool.${ipAddress}`, labels },
    spec: { ipAddress, macAddress, ...(interfaceName !== undefined && { interfaceName }) },
  };
}

const [ONE, TWO] = ['02:00:00:00:00:01', '02:00:00:00:00:02'];

it('tells BMCs what DHCP tells the interfaces of their VMs', () => {
  const leases = [aLease('10.0.0.11', 'lan', '02-00-00-00-00-02'), aLease('10.0.0.10', 'admin', ONE)];
  const shared = { prefixLength: 20, gateway: '10.0.0.1', nameServers: ['10.0.0.3'], vlan: 7 };
  expect(networkInterfacesOf(leases, () => ({ pool, network }))).toEqual([
    { name: 'admin', macAddress: ONE, ipAddress: '10.0.0.10', ...shared },
    { name: 'lan', macAddress: TWO, ipAddress: '10.0.0.11', ...shared },
  ]);
});

it('tells nothing of released leases and of pools that are gone, and each interface once', () => {
  const told = networkInterfacesOf([aLease('10.0.0.11', 'lan', ONE, { [LABELS.released]: 'true' })], () => ({
    pool,
    network,
  }));
  expect(told).toEqual([]);
  const leases = [aLease('10.0.0.11', 'lan', ONE), aLease('10.0.0.12', 'lan', ONE)];
  expect(networkInterfacesOf(leases, () => ({ pool: undefined, network: undefined }))).toEqual([]);
  expect(networkInterfacesOf(leases, () => ({ pool, network: undefined }))).toEqual([
    expect.objectContaining({ name: 'lan', ipAddress: '10.0.0.12' }),
  ]);
});

it('tells of a lease that was made before its VM was read, and of an interface whose name another one has now', () => {
  const told = (leases: IPLease[]) =>
    networkInterfacesOf(leases, () => ({ pool, network })).map(({ name, macAddress }) => [name, macAddress]);
  expect(told([aLease('10.0.0.11', undefined, ONE)])).toEqual([[ONE, ONE]]);
  expect(told([aLease('10.0.0.11', 'lan', ONE), aLease('10.0.0.12', 'lan', TWO)])).toEqual([
    ['lan', ONE],
    [TWO, TWO],
  ]);
});
