import { expect, it } from 'vitest';
import { IP_POOLS, type IPPool } from '../../api/index.ts';
import type { Cache } from '@groundcrew/controller-runtime';
import { Metrics } from '@groundcrew/controller-runtime/metrics';
import { poolGauges } from './controller.ts';

it('reports the usage of each pool and drops deleted pools', async () => {
  const metrics = new Metrics();
  let pools: IPPool[] = [aPool('lan', 3), aPool('dmz', 0)];
  poolGauges(metrics, { kind: IP_POOLS, list: () => pools } as unknown as Cache<IPPool>); // only the list is read
  expect(await metrics.text()).toContain(
    'vmdhcpcontroller_ippool_used{ippool="vms/lan",cidr="10.0.0.0/24",network="vms/net"} 3\n',
  );
  pools = pools.slice(1);
  const after = await metrics.text();
  expect(after).toContain(
    'vmdhcpcontroller_ippool_available{ippool="vms/dmz",cidr="10.0.0.0/24",network="vms/net"} 11',
  );
  expect(after).not.toContain('vms/lan');
});

function aPool(name: string, used: number): IPPool {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { name, namespace: 'vms' },
    spec: {
      networkName: 'net',
      ipv4Config: { cidr: '10.0.0.0/24', serverIP: '10.0.0.2', pool: { start: '10.0.0.10', end: '10.0.0.20' } },
    },
    status: { ipv4: { used, available: 11 - used } },
  };
}
