import { expect, it } from 'vitest';
import { IP_POOLS, type IPPool } from '../../api/index.ts';
import type { Cache } from '@groundcrew/controller-runtime';
import { Metrics } from '@groundcrew/controller-runtime/metrics';
import { poolGauges } from './controller.ts';
import { aPool } from './testing/builders.ts';

it('reports the usage of each pool and drops deleted pools', async () => {
  const metrics = new Metrics();
  let pools = [
    aPool({ name: 'lan', status: { ipv4: { used: 3, available: 7 } } }),
    aPool({ name: 'dmz', status: { ipv4: { used: 0, available: 10 } } }),
  ];
  poolGauges(metrics, { kind: IP_POOLS, list: () => pools } as unknown as Cache<IPPool>); // only the list is read
  expect(await metrics.text()).toContain(
    'vmdhcpcontroller_ippool_used{ippool="vms/lan",cidr="10.0.0.0/24",network="vms/lan"} 3\n',
  );
  pools = pools.slice(1);
  const after = await metrics.text();
  expect(after).toContain(
    'vmdhcpcontroller_ippool_available{ippool="vms/dmz",cidr="10.0.0.0/24",network="vms/lan"} 10',
  );
  expect(after).not.toContain('ippool="vms/lan"');
});
