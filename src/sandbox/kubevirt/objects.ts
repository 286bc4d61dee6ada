import type { Kind, KubeObject } from '../../kube/index.ts';

/*
 * KubeVirt's own view of its objects: what the stand-in reads and writes. It is kept apart from `src/api`,
 * which is Groundcrew's view as a client, so that one misreading of KubeVirt cannot hide in both.
 * KubeVirt `api/core/v1/types.go`, v1.8.4.
 */

export const RUN_STRATEGIES = ['Halted', 'Manual', 'Always', 'RerunOnFailure', 'Once'] as const;
export type RunStrategy = (typeof RUN_STRATEGIES)[number];

export interface VirtualMachine extends KubeObject {
  spec: VirtualMachineSpec;
  status?: VirtualMachineStatus;
}

export interface VirtualMachineSpec {
  runStrategy?: string;
  /** Deprecated by KubeVirt: true is Always, false is Halted. */
  running?: boolean;
  template?: InstanceTemplate;
}

export interface InstanceTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: InstanceSpec;
}

export interface VirtualMachineStatus {
  created?: boolean;
  ready?: boolean;
  printableStatus?: PrintableStatus;
  /** Run strategy when the VM last had an instance. */
  runStrategy?: string;
  stateChangeRequests?: StateChangeRequest[];
  startFailure?: StartFailure;
  conditions?: KubeVirtCondition[];
  observedGeneration?: number;
  desiredGeneration?: number;
}

export type PrintableStatus =
  'Stopped' | 'Starting' | 'Running' | 'Paused' | 'Stopping' | 'Terminating' | 'CrashLoopBackOff' | 'Unknown';

export interface StateChangeRequest {
  action: 'Start' | 'Stop';
  data?: Record<string, string>;
  /** The instance to stop. */
  uid?: string;
}

export interface StartFailure {
  consecutiveFailCount: number;
  lastFailedVMIUID: string;
  retryAfterTimestamp: string;
}

export interface KubeVirtCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

export type InstancePhase =
  'Pending' | 'Scheduling' | 'Scheduled' | 'Running' | 'Succeeded' | 'Failed' | 'WaitingForSync' | 'Unknown';

export interface VirtualMachineInstance extends KubeObject {
  spec: InstanceSpec;
  status?: InstanceStatus;
}

export interface InstanceSpec {
  domain: Domain;
  networks?: Network[];
  volumes?: ({ name: string } & Record<string, unknown>)[];
  terminationGracePeriodSeconds?: number;
  startStrategy?: string;
  livenessProbe?: unknown;
  nodeSelector?: unknown;
  affinity?: unknown;
  tolerations?: unknown;
}

export interface Domain {
  devices?: { disks?: Disk[]; interfaces?: Interface[] };
  firmware?: { uuid?: string; serial?: string };
  cpu?: { sockets?: number };
  memory?: { guest?: string };
  features?: { acpi?: { enabled?: boolean } };
}

export type Disk = { name: string; bootOrder?: number } & Record<string, unknown>;
export type Interface = { name: string; bootOrder?: number; macAddress?: string } & Record<string, unknown>;
export type Network = { name: string; pod?: unknown } & Record<string, unknown>;

export interface InstanceStatus {
  phase?: InstancePhase;
  nodeName?: string;
  conditions?: KubeVirtCondition[];
  phaseTransitionTimestamps?: { phase: InstancePhase; phaseTransitionTimestamp: string }[];
  interfaces?: InterfaceStatus[];
}

export interface InterfaceStatus {
  name: string;
  mac: string;
  infoSource: string;
  ipAddress?: string;
  ipAddresses?: string[];
  podInterfaceName?: string;
  linkState?: string;
}

export const VIRTUAL_MACHINES: Kind<VirtualMachine> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  namespaced: true,
};

export const VIRTUAL_MACHINE_INSTANCES: Kind<VirtualMachineInstance> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  namespaced: true,
};

/** On a VM, and on an instance made by a VM: the VM controller has something to see to before it goes. */
export const VM_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize';
/** On an instance: the guest has to be stopped before it goes. */
export const INSTANCE_FINALIZER = 'foregroundDeleteVirtualMachine';
/** The grace period of an instance whose spec names none, seconds. */
export const DEFAULT_GRACE_PERIOD = 30;

/** Succeeded or Failed: the guest has ended and will not run again. */
export function isFinal(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed';
}
