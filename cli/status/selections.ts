import {
  DEPLOYMENTS,
  EVENTS,
  LEASES,
  PODS,
  SERVICES,
  STATEFUL_SETS,
  type Deployment,
  type Event,
  type Kind,
  type Lease,
  type Pod,
  type Selection,
  type Service,
  type StatefulSet,
} from '@groundcrew/controller-runtime';
import {
  AGENT_ROLLOUT_NAME,
  AGENT_ROLLOUTS,
  IP_LEASES,
  IP_POOLS,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type AgentRollout,
  type IPLease,
  type IPPool,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';

/** The objects that the status is made of. */
export interface ObjectLists {
  bmcs: VirtualMachineBMC[];
  virtualMachines: VirtualMachine[];
  instances: VirtualMachineInstance[];
  /** Events about objects of Groundcrew. */
  events: Event[];
  pools: IPPool[];
  leases: IPLease[];
  networkConfigs: VirtualMachineNetworkConfig[];
  /** Services of BMCs. */
  services: Service[];
  /** Pods and Deployments of agents and managers. */
  pods: Pod[];
  deployments: Deployment[];
  /** Of shared agents. */
  statefulSets: StatefulSet[];
  /** Leases of the leader election of managers. */
  elections: Lease[];
  rollouts: AgentRollout[];
}

export interface Scope {
  /** Only objects of this namespace; managers are read in all. */
  namespace?: string | undefined;
  /** Pools, leases and DHCP agents in all namespaces, since those of a VM may be in another one. */
  networksEverywhere?: boolean;
}

export type Selections = {
  readonly [L in keyof ObjectLists]: { kind: Kind<ObjectLists[L][number]>; parts: readonly Selection[] };
};

/** What is to be read for each list: `groundcrew status` lists it, `groundcrew web` watches it. No object is in two parts. */
export function selections({ namespace, networksEverywhere }: Scope): Selections {
  const here = namespace === undefined ? {} : { namespace };
  const there = networksEverywhere === true ? {} : here;
  const component = (name: string) => ({ labelSelector: `${LABELS.component}=${name}` });
  const about = (kind: string) => ({ fieldSelector: `involvedObject.kind=${kind}` });
  const agentsAndManagers = [
    { ...here, ...component('bmc-agent') },
    { ...there, ...component('dhcp-agent') },
    component('manager'),
  ];
  return {
    bmcs: { kind: VIRTUAL_MACHINE_BMCS, parts: [here] },
    virtualMachines: { kind: VIRTUAL_MACHINES, parts: [here] },
    instances: { kind: VIRTUAL_MACHINE_INSTANCES, parts: [here] },
    events: {
      kind: EVENTS,
      parts: [
        { ...here, ...about('VirtualMachineBMC') },
        { ...here, ...about('VirtualMachineNetworkConfig') },
        { ...there, ...about('IPPool') },
        { ...here, ...about('AgentRollout') },
      ],
    },
    pools: { kind: IP_POOLS, parts: [there] },
    leases: { kind: IP_LEASES, parts: [there] },
    networkConfigs: { kind: VIRTUAL_MACHINE_NETWORK_CONFIGS, parts: [here] },
    services: { kind: SERVICES, parts: [{ ...here, ...component('bmc-agent') }] },
    pods: { kind: PODS, parts: agentsAndManagers },
    deployments: { kind: DEPLOYMENTS, parts: agentsAndManagers },
    statefulSets: { kind: STATEFUL_SETS, parts: [{ ...here, labelSelector: LABELS.sharedAgent }] },
    elections: { kind: LEASES, parts: [{ fieldSelector: 'metadata.name=groundcrew-manager' }] },
    rollouts: { kind: AGENT_ROLLOUTS, parts: [{ fieldSelector: `metadata.name=${AGENT_ROLLOUT_NAME}` }] },
  };
}

/** The webhook configurations of managers. */
export const OUR_WEBHOOKS: Selection = {
  labelSelector: `${LABELS.name}=groundcrew,${LABELS.managedBy}=groundcrew`,
};
