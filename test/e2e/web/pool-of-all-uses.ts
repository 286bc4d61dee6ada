import { IP_LEASES, IP_POOLS, LABELS } from '../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';

const NETWORK = 'network.harvesterhci.io/v1alpha1';

/**
 * Creates an IP pool `default/lab` with 20 addresses from 10.9.0.10. The machines `vm-1` to `vm-3` have bound theirs, `vm-4` and
 * `vm-5` have not yet, the next address rests, and the last but one is excluded.
 */
export async function createPoolOfAllUses(client: KubeClient): Promise<void> {
  const pool = { namespace: 'default', name: 'lab' };
  await client.create(IP_POOLS, {
    apiVersion: NETWORK,
    kind: 'IPPool',
    metadata: pool,
    spec: {
      networkName: 'default/lab',
      ipv4Config: {
        ...{ cidr: '10.9.0.0/24', serverIP: '10.9.0.2' },
        pool: { start: '10.9.0.10', end: '10.9.0.29', exclude: ['10.9.0.28'] },
      },
    },
  });
  for (let number = 1; number <= 6; number += 1) await createLease(client, number);
  const status = { ipv4: { used: 5, resting: 1, total: 19 } };
  await client.patch(IP_POOLS, pool, 'merge', { status }, { subresource: 'status' });
}

async function createLease(client: KubeClient, number: number): Promise<void> {
  const ipAddress = `10.9.0.${9 + number}`;
  const vm = { namespace: 'default', name: `vm-${number}` };
  const ref = { namespace: 'default', name: `lab.${ipAddress}` };
  await client.create(IP_LEASES, {
    apiVersion: NETWORK,
    kind: 'IPLease',
    metadata: { ...ref, labels: { [LABELS.ipPool]: 'lab', ...(number === 6 && { [LABELS.released]: 'true' }) } },
    spec: {
      ...{ ipAddress, macAddress: `02:00:00:00:00:0${number}`, interfaceName: 'lab' },
      ...{ vmRef: vm, vmNetworkConfigRef: vm },
    },
  });
  if (number > 3) return;
  const status = { state: 'Bound', lastSeen: new Date().toISOString() };
  await client.patch(IP_LEASES, ref, 'merge', { status }, { subresource: 'status' });
}
