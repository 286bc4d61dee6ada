import {
  ApiError,
  KubeClient,
  TransportError,
  EVENTS,
  isNotFound,
  type Event,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { KubeconfigError, kubeconfigTransport } from '@groundcrew/controller-runtime/kubeconfig';
import { findKubeconfig } from '../find-kubeconfig.ts';
import type { Dependencies } from '../program.ts';
import type { StatusFlags } from './command.ts';
import { evaluate } from './evaluate.ts';
import { render } from './render.ts';
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

/**
 * Prints the status of every BMC, pool and lease.
 *
 * @returns 0, or 1 if the cluster does not answer or Groundcrew is not installed
 */
export async function runStatus(flags: StatusFlags, { env, stdout, stderr }: Dependencies): Promise<number> {
  try {
    await using parts = new AsyncDisposableStack();
    const transport = await kubeconfigTransport(await findKubeconfig(flags.kubeconfig, env), flags.context);
    const client = new KubeClient({ transport, fieldManager: 'groundcrew-cli' });
    parts.defer(() => client.close());
    const inputs = await loadInputs(client, flags.namespace);
    if (inputs.notInstalled) {
      stderr.write(
        'This cluster has no VirtualMachineBMC resources. Install Groundcrew: helm install groundcrew charts/groundcrew\n',
      );
      return 1;
    }
    const overview = evaluate(inputs);
    const isEmpty = inputs.bmcs.length + inputs.pools.length + inputs.networkConfigs.length === 0;
    if (flags.output === 'json') stdout.write(`${JSON.stringify(overview, undefined, 2)}\n`);
    else if (isEmpty) stdout.write('No VirtualMachineBMC and no IPPool found. examples/ shows how to write them.\n');
    else stdout.write(render(overview, Date.now()));
    return 0;
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof TransportError || error instanceof KubeconfigError))
      throw error;
    stderr.write(`The cluster could not be read: ${error.message}\n`);
    return 1;
  }
}

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
