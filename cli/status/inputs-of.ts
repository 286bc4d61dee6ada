import { agentName, LABELS, labelValue, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeObject } from '@groundcrew/controller-runtime';
import type { Inputs } from './inputs.ts';
import { sharedAgentKey, sharedAgentOf } from './shared-agents.ts';

/** Returns for a BMC the inputs with only what may be its own: with thousands of BMCs the lists are too long to be searched for each. */
export function inputsOf(inputs: Inputs): (bmc: VirtualMachineBMC) => Inputs {
  const byBmc = ({ metadata: { namespace, labels } }: KubeObject): string => keyOf(namespace, labels?.[LABELS.bmc]);
  const byName = ({ metadata: { namespace, name } }: KubeObject): string => keyOf(namespace, name);
  const pods = Map.groupBy(inputs.pods, byBmc);
  const shared = Map.groupBy(inputs.pods, sharedAgentKey);
  const services = Map.groupBy(inputs.services, byBmc);
  const deployments = Map.groupBy(inputs.deployments, byName);
  const virtualMachines = Map.groupBy(inputs.virtualMachines, byName);
  const instances = Map.groupBy(inputs.instances, byName);
  const events = Map.groupBy(inputs.events, ({ involvedObject }) => involvedObject.uid);
  return (object) => {
    const {
      metadata: { namespace, name, uid },
      spec,
    } = object;
    const bmc = keyOf(namespace, labelValue(name));
    const vm = keyOf(namespace, spec.virtualMachineRef.name);
    return {
      ...inputs,
      pods: [...(pods.get(bmc) ?? []), ...(shared.get(keyOf(namespace, sharedAgentOf(object))) ?? [])],
      services: services.get(bmc) ?? [],
      deployments: deployments.get(keyOf(namespace, agentName(spec.virtualMachineRef.name))) ?? [],
      virtualMachines: virtualMachines.get(vm) ?? [],
      instances: instances.get(vm) ?? [],
      events: events.get(uid) ?? [],
    };
  };
}

function keyOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}
