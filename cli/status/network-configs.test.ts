import { expect, it } from 'vitest';
import { evaluateNetworkConfigs } from './network-configs.ts';
import { aCluster, aConfig, MAC } from './testing/builders.ts';

const OTHER = '52:54:00:00:00:02';

it('shows the interfaces of a VM with their addresses, also those that the manager has not seen yet', () => {
  const config = aConfig({
    phase: 'Ready',
    networkConfigs: [
      { networkName: 'vms/prod-net', macAddress: MAC, allocatedIPAddress: '10.0.0.9', state: 'Allocated' },
    ],
  });
  config.spec.networkConfigs?.push({ networkName: 'lab', macAddress: OTHER });
  expect(evaluateNetworkConfigs(aCluster({ networkConfigs: [config] }))).toEqual([
    {
      ...{ namespace: 'vms', name: 'web', virtualMachine: 'web', phase: 'Ready' },
      interfaces: [
        { network: 'vms/prod-net', macAddress: MAC, address: '10.0.0.9', state: 'Allocated' },
        { network: 'vms/lab', macAddress: OTHER, address: '-', state: 'Unseen' },
      ],
    },
  ]);
});

it('shows a MAC address once, in whatever case it is written', () => {
  const config = aConfig({ networkConfigs: [{ networkName: 'vms/prod-net', macAddress: MAC, state: 'Pending' }] });
  config.spec.networkConfigs = [{ networkName: 'vms/prod-net', macAddress: MAC.toUpperCase() }];
  expect(evaluateNetworkConfigs(aCluster({ networkConfigs: [config] }))[0]?.interfaces).toHaveLength(1);
});

it('shows that a config is paused, or was never seen', () => {
  const rows = evaluateNetworkConfigs(aCluster({ networkConfigs: [aConfig(undefined, true)] }));
  expect(rows).toMatchObject([{ phase: 'Unseen', paused: true }]);
});
