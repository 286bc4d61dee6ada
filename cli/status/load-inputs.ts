import {
  IP_LEASES,
  IP_POOLS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type IPLease,
  type IPPool,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import {
  EVENTS,
  isNotFound,
  type Event,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';

/** The cluster objects that the status screen shows. */
export interface Inputs {
  bmcs: VirtualMachineBMC[];
  virtualMachines: VirtualMachine[];
  instances: VirtualMachineInstance[];
  /** Events on VirtualMachineBMCs. */
  events: Event[];
  pools: IPPool[];
  leases: IPLease[];
  networkConfigs: VirtualMachineNetworkConfig[];
  /** The cluster has no VirtualMachineBMC kind: Groundcrew is not installed. */
  notInstalled: boolean;
}

/** Reads the objects from the cluster. A kind that is not installed gives an empty list. */
export async function loadInputs(client: KubeClient, namespace: string | undefined): Promise<Inputs> {
  const selection = namespace === undefined ? {} : { namespace };
  const all = async <T extends KubeObject>(kind: Kind<T>, fieldSelector?: string): Promise<T[] | undefined> => {
    const items: T[] = [];
    let page: string | undefined;
    try {
      do {
        const list = await client.list(kind, {
          ...selection,
          limit: 500,
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          ...(page === undefined ? {} : { continue: page }),
        });
        items.push(...list.items);
        page = list.metadata.continue;
      } while (page !== undefined && page !== '');
      return items;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const [bmcs, virtualMachines, instances, events, pools, leases, networkConfigs] = await Promise.all([
    all(VIRTUAL_MACHINE_BMCS),
    all(VIRTUAL_MACHINES),
    all(VIRTUAL_MACHINE_INSTANCES),
    all(EVENTS, 'involvedObject.kind=VirtualMachineBMC'),
    all(IP_POOLS),
    all(IP_LEASES),
    all(VIRTUAL_MACHINE_NETWORK_CONFIGS),
  ]);
  return {
    bmcs: bmcs ?? [],
    virtualMachines: virtualMachines ?? [],
    instances: instances ?? [],
    events: events ?? [],
    pools: pools ?? [],
    leases: leases ?? [],
    networkConfigs: networkConfigs ?? [],
    notInstalled: bmcs === undefined,
  };
}
