/** What a simulated node beside another virt-controller and virt-api needs (`test/harness/kubevirt`). */
export { GuestHost } from './console/index.ts';
export { SerialSession } from './console/serial-session.ts';
export { interfacesOf } from './kubevirt/defaults.ts';
export { agentStatus, guestAgentInfo, hasAgent, timesOf, type Fate, type GuestTimes } from './guest/index.ts';
export { DECLARATIVE_HOTPLUG, KUBEVIRTS, type KubeVirtResource } from './hotplug/index.ts';
export { endOfGuest, EVENTS, PAUSED, runningConditions, startedStatus, withPhase } from './instances/index.ts';
export { isTrue, withCondition, withoutCondition } from './kubevirt/conditions.ts';
export {
  isFinal,
  isLeaving,
  VIRTUAL_MACHINE_INSTANCES,
  type InstancePhase,
  type InstanceStatus,
  type VirtualMachineInstance,
  type VolumeStatus,
} from './kubevirt/objects.ts';
export { CREATED_BY, hasEnded } from './instances/launcher-pod.ts';
export { Nodes } from './kubevirt/nodes.ts';
