import { NETWORK_CONFIG_CONDITIONS, networkKey, type VirtualMachineNetworkConfig } from '../../api/index.ts';
import type { Inputs } from './inputs.ts';
import { once } from './once.ts';
import type { NetworkConfigInterface, NetworkConfigStatus, Problem } from './overview.ts';
import { byName, inOrder } from './overview-order.ts';
import { conditionTroubles } from './problem.ts';

/** One row per VirtualMachineNetworkConfig, sorted by namespace and name. */
export function evaluateNetworkConfigs({ networkConfigs }: Inputs): NetworkConfigStatus[] {
  return inOrder('networkConfigs', networkConfigs.map(rowOf));
}

const rowOf = once((config: VirtualMachineNetworkConfig): NetworkConfigStatus => ({
  namespace: config.metadata.namespace ?? '',
  name: config.metadata.name,
  virtualMachine: config.spec.vmName,
  phase: config.status?.phase ?? 'Unseen',
  interfaces: interfacesOf(config),
  ...(config.spec.paused === true ? { paused: true as const } : {}),
}));

/** The interfaces as the manager has seen them, and those that it has not seen yet. */
function interfacesOf({ metadata, spec, status }: VirtualMachineNetworkConfig): NetworkConfigInterface[] {
  const { namespace = '' } = metadata;
  const seen = (status?.networkConfigs ?? []).map(
    ({ networkName = '-', macAddress = '-', allocatedIPAddress = '-', state = 'Pending' }) => ({
      network: networkKey(networkName, namespace),
      macAddress,
      address: allocatedIPAddress,
      state,
    }),
  );
  const known = new Set(seen.map(({ macAddress }) => macAddress.toLowerCase()));
  const unseen = (spec.networkConfigs ?? []).flatMap(({ networkName, macAddress }) =>
    known.has(macAddress.toLowerCase())
      ? []
      : { network: networkKey(networkName, namespace), macAddress, address: '-', state: 'Unseen' },
  );
  return [...seen, ...unseen];
}

/** What keeps VMs from getting addresses. */
export function configProblems({ networkConfigs, now }: Inputs): Problem[] {
  return networkConfigs
    .toSorted((a, b) => byName(a.metadata, b.metadata))
    .flatMap((config) => {
      if (config.spec.paused === true && config.status?.conditions !== undefined) return [];
      const { namespace = '', name } = config.metadata;
      return conditionTroubles(config, () => now, { wanted: [NETWORK_CONFIG_CONDITIONS.disabled] }).map(
        (trouble): Problem => ({ kind: 'VirtualMachineNetworkConfig', namespace, name, ...trouble }),
      );
    });
}
