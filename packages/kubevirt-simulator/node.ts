/** For the simulated nodes of a real KubeVirt (`test/harness/kubevirt`). */
export { GuestHost } from './console/index.ts';
export { isPreserved, ScreenSession, screenshot } from './console/screen-console.ts';
export { SerialSession } from './console/serial-console.ts';
export { interfacesOf } from './kubevirt/defaults.ts';
export { guestAgentInfo, timesOf, type Fate, type GuestTimes } from './guest/index.ts';
export { DECLARATIVE_HOTPLUG, KUBEVIRTS, mounted, type KubeVirtResource } from './hotplug/index.ts';
export { endOfGuest, EVENTS, guestStatus, PAUSED, runningConditions } from './instances/index.ts';
export { endedStatus, gatesAreOpen, runningStatus, withReady, type PodStatus } from './instances/pod-status.ts';
export { definition, OPEN } from './kubevirt/definition.ts';
export { isTrue, withCondition, withoutCondition } from './kubevirt/conditions.ts';
export {
  isFinal,
  isLeaving,
  VIRTUAL_MACHINE_INSTANCES,
  type InstancePhase,
  type InstanceStatus,
  type VirtualMachineInstance,
} from './kubevirt/objects.ts';
export { CREATED_BY, hasEnded } from './instances/launcher-pod.ts';
export { Nodes } from './kubevirt/nodes.ts';
