import {
  agentName,
  LABELS,
  labelValue,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../api/index.ts';
import type { Deployment, Event, KubeObject, Pod, Service } from '@groundcrew/controller-runtime';
import type { Inputs } from './inputs.ts';
import { once } from './once.ts';
import { byName } from './overview-order.ts';
import { podState, type PodState } from './pod-state.ts';
import type { Now } from './problem.ts';
import { sharedAgentKey, sharedAgentOf } from './shared-agents.ts';

/** A BMC and the objects that are its own. */
export interface BmcFacts {
  readonly bmc: VirtualMachineBMC;
  /** Of its agent, or of the shared agent that it has. */
  readonly pods: readonly Pod[];
  readonly service: Service | undefined;
  /** Of an agent of its own. */
  readonly deployment: Deployment | undefined;
  readonly virtualMachine: VirtualMachine | undefined;
  readonly instance: VirtualMachineInstance | undefined;
  /** Events about it. */
  readonly events: readonly Event[];
}

/** The BMCs, sorted by namespace and name. The lists must not change later: what was found in them is kept with them. */
export function bmcFacts(inputs: Inputs): BmcFacts[] {
  const pods = ownPods(inputs.pods);
  const shared = sharedPods(inputs.pods);
  const services = ownServices(inputs.services);
  const deployments = deploymentsByName(inputs.deployments);
  const virtualMachines = machinesByName(inputs.virtualMachines);
  const instances = instancesByName(inputs.instances);
  const events = eventsByObject(inputs.events);
  return inputs.bmcs
    .toSorted((a, b) => byName(a.metadata, b.metadata))
    .map((bmc) => {
      const keys = keysOf(bmc);
      return {
        bmc,
        pods: (keys.shared === undefined ? pods.get(keys.bmc) : shared.get(keys.shared)) ?? [],
        service: services.get(keys.bmc)?.[0],
        deployment: deployments.get(keys.deployment)?.[0],
        virtualMachine: virtualMachines.get(keys.machine)?.[0],
        instance: instances.get(keys.machine)?.[0],
        events: events.get(bmc.metadata.uid) ?? [],
      };
    });
}

/** The keys of its objects in their groups. */
const keysOf = once((bmc: VirtualMachineBMC) => {
  const { namespace, name } = bmc.metadata;
  const machine = bmc.spec.virtualMachineRef.name;
  const shared = sharedAgentOf(bmc);
  return {
    bmc: keyOf(namespace, labelValue(name)),
    shared: shared && keyOf(namespace, shared),
    deployment: keyOf(namespace, agentName(machine)),
    machine: keyOf(namespace, machine),
  };
});

const ownPods = grouping<Pod>(bmcKey);
const sharedPods = grouping<Pod>(sharedAgentKey);
const ownServices = grouping<Service>(bmcKey);
const deploymentsByName = grouping<Deployment>(nameKey);
const machinesByName = grouping<VirtualMachine>(nameKey);
const instancesByName = grouping<VirtualMachineInstance>(nameKey);
const eventsByObject = grouping<Event>(({ involvedObject }) => involvedObject.uid);

/** A pod of an agent. */
export interface Agent {
  readonly pod: Pod;
  readonly state: PodState;
}

/** The agents of a BMC that serve or start, and those that failed if there is no other. */
export function agentsOf({ pods }: BmcFacts, now: Now): Agent[] {
  const all = pods.map((pod) => ({ pod, state: podState(pod, now) }));
  const current = all.filter(({ pod }) => !['Failed', 'Succeeded'].includes(pod.status?.phase ?? ''));
  return current.length > 0 ? current : all;
}

type Groups<T> = ReadonlyMap<string | undefined, readonly T[]>;

/** Groups a list. With thousands of BMCs lists are too long to be searched for each, and few of them change at a time. */
function grouping<T extends KubeObject>(key: (object: T) => string | undefined): (list: readonly T[]) => Groups<T> {
  return once((list) => Map.groupBy(list, key));
}

/** Of an object of a BMC's agent. */
function bmcKey({ metadata: { namespace, labels } }: KubeObject): string | undefined {
  return labels?.[LABELS.component] === 'bmc-agent' ? keyOf(namespace, labels[LABELS.bmc]) : undefined;
}

function nameKey({ metadata: { namespace, name } }: KubeObject): string {
  return keyOf(namespace, name);
}

function keyOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}
