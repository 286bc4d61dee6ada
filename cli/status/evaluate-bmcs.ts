import { isBMCAction, powerStateOf, type VirtualMachineBMC } from '../../api/index.ts';
import type { Event } from '@groundcrew/controller-runtime';
import { problemsOf, type Problem } from './problem.ts';
import { byName } from './by-name.ts';
import type { Inputs } from './load-inputs.ts';

/** One BMC on the status screen. */
export interface BmcStatus {
  namespace: string;
  name: string;
  virtualMachine: string;
  /** Power state, or `missing` if the VM does not exist. */
  power: string;
  /** `<address>:<port>` for IPMI, or `-`. */
  ipmi: string;
  /** Redfish URL, or `-`. */
  redfish: string;
  /** Name of the agent's pod, or `-`. */
  agent: string;
  phase: string;
  problems: Problem[];
  /** The last action that a client requested. */
  lastAction?: { time: string; reason: string; message: string };
}

/** One row per BMC, sorted by namespace and name. */
export function evaluateBmcs(inputs: Inputs): BmcStatus[] {
  const key = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;
  const keyed = <T extends { metadata: { namespace?: string; name: string } }>(objects: readonly T[]): Map<string, T> =>
    new Map(objects.map((object) => [key(object.metadata.namespace, object.metadata.name), object]));
  const virtualMachines = keyed(inputs.virtualMachines);
  const instances = keyed(inputs.instances);

  return inputs.bmcs
    .map((bmc): BmcStatus => {
      const { namespace = '', name } = bmc.metadata;
      const vmKey = key(namespace, bmc.spec.virtualMachineRef.name);
      const vm = virtualMachines.get(vmKey);
      const lastAction = lastActionOf(bmc, inputs.events);
      return {
        namespace,
        name,
        virtualMachine: bmc.spec.virtualMachineRef.name,
        power: vm === undefined ? 'missing' : powerStateOf(vm, instances.get(vmKey)),
        ipmi: bmc.status?.endpoints?.ipmi ?? '-',
        redfish: bmc.status?.endpoints?.redfish ?? '-',
        agent: bmc.status?.agent?.name ?? '-',
        phase: bmc.status?.phase ?? 'Unseen',
        problems: problemsOf(bmc.status?.conditions),
        ...(lastAction === undefined ? {} : { lastAction }),
      };
    })
    .sort(byName);
}

function lastActionOf(bmc: VirtualMachineBMC, events: readonly Event[]): BmcStatus['lastAction'] {
  const [last] = events
    .filter((event) => event.involvedObject.uid === bmc.metadata.uid && isBMCAction(event.reason ?? ''))
    .map((event) => ({
      time: event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '',
      reason: event.reason ?? '',
      message: event.message ?? '',
    }))
    .sort((a, b) => b.time.localeCompare(a.time));
  return last;
}
