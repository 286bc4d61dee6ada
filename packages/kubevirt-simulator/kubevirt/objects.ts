import type { Kind, KubeObject } from '@groundcrew/controller-runtime';

/*
 * KubeVirt's objects, as far as the simulator uses them (KubeVirt `api/core/v1/types.go`, v1.8.4). Groundcrew has its own
 * types in `api`, so that a mistake in one place is found.
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
  instancetype?: { name: string; kind?: string };
  preference?: { name: string; kind?: string };
  /** DataVolumes that are created with the VM. */
  dataVolumeTemplates?: {
    metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
    spec?: unknown;
  }[];
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
  | 'Stopped'
  | 'Starting'
  | 'Running'
  | 'Paused'
  | 'Migrating'
  | 'Stopping'
  | 'Terminating'
  | 'CrashLoopBackOff'
  | 'ErrorUnschedulable'
  | 'ErrorPvcNotFound'
  | 'DataVolumeError'
  | 'Provisioning'
  | 'WaitingForVolumeBinding'
  | 'Unknown';

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
  | 'Pending'
  | 'Scheduling'
  | 'Scheduled'
  | 'Running'
  | 'Succeeded'
  | 'Failed'
  | 'WaitingForSync'
  | 'Unknown';

export interface VirtualMachineInstance extends KubeObject {
  spec: InstanceSpec;
  status?: InstanceStatus;
}

export interface InstanceSpec {
  /** GOARCH. */
  architecture?: string;
  domain: Domain;
  networks?: Network[];
  volumes?: Volume[];
  terminationGracePeriodSeconds?: number;
  startStrategy?: string;
  hostname?: string;
  livenessProbe?: { guestAgentPing?: object };
  nodeSelector?: unknown;
  affinity?: unknown;
  tolerations?: unknown;
}

export interface Domain {
  devices?: {
    disks?: Disk[];
    interfaces?: Interface[];
    filesystems?: { name: string }[];
    autoattachPodInterface?: boolean;
    autoattachGraphicsDevice?: boolean;
    autoattachSerialConsole?: boolean;
  };
  firmware?: {
    uuid?: string;
    serial?: string;
    bootloader?: { bios?: { useSerial?: boolean }; efi?: { secureBoot?: boolean; persistent?: boolean } };
  };
  cpu?: { cores?: number; sockets?: number; threads?: number };
  memory?: { guest?: string; hugepages?: unknown };
  resources?: { requests?: Record<string, string> };
  features?: { acpi?: { enabled?: boolean }; smm?: { enabled?: boolean } };
}

export type Volume = { name: string } & Record<string, unknown>;
export type Disk = { name: string; bootOrder?: number } & Record<string, unknown>;
export type Interface = { name: string; bootOrder?: number; macAddress?: string } & Record<string, unknown>;
export type Network = { name: string; pod?: unknown; multus?: { networkName: string } } & Record<string, unknown>;

export interface InstanceStatus {
  phase?: InstancePhase;
  nodeName?: string;
  /** Reason of the phase Failed, unless the guest crashed. */
  reason?: string;
  conditions?: KubeVirtCondition[];
  phaseTransitionTimestamps?: { phase: InstancePhase; phaseTransitionTimestamp: string }[];
  interfaces?: InterfaceStatus[];
  volumeStatus?: VolumeStatus[];
  /** Nodes by the uid of the pod there. */
  activePods?: Record<string, string>;
  guestOSInfo?: Record<string, string>;
  currentCPUTopology?: { cores: number; sockets: number; threads: number };
  memory?: { guestAtBoot: string; guestCurrent: string; guestRequested: string };
  qosClass?: string;
  runtimeUser?: number;
  launcherContainerImageVersion?: string;
  migrationTransport?: string;
  migrationState?: MigrationState;
}

/** State of a volume of an instance. */
export interface VolumeStatus {
  name: string;
  /** Name of its disk in the domain; empty while it has none. */
  target: string;
  /** Set for a hot-plugged volume. */
  phase?: 'Pending' | 'Bound' | 'AttachedToNode' | 'MountedToPod' | 'Ready' | 'UnMountedFromPod';
  reason?: string;
  message?: string;
  hotplugVolume?: object;
  persistentVolumeClaimInfo?: {
    claimName: string;
    accessModes?: string[];
    volumeMode?: string;
    capacity?: Record<string, string>;
    requests?: Record<string, string>;
  };
}

/** State of the latest migration of an instance. */
export interface MigrationState {
  migrationUid: string;
  sourceNode: string;
  sourcePod: string;
  targetNode: string;
  targetPod: string;
  startTimestamp?: string;
  endTimestamp?: string;
  completed?: boolean;
  failed?: boolean;
  failureReason?: string;
  mode?: string;
}

export type MigrationPhase =
  | 'Pending'
  | 'Scheduling'
  | 'Scheduled'
  | 'PreparingTarget'
  | 'TargetReady'
  | 'Running'
  | 'Succeeded'
  | 'Failed';

/** A request to migrate an instance to another node. */
export interface Migration extends KubeObject {
  spec: { vmiName: string };
  status?: {
    phase?: MigrationPhase;
    phaseTransitionTimestamps?: { phase: MigrationPhase; phaseTransitionTimestamp: string }[];
    migrationState?: MigrationState;
    conditions?: KubeVirtCondition[];
  };
}

export interface InterfaceStatus {
  name: string;
  mac: string;
  infoSource: string;
  ipAddress?: string;
  ipAddresses?: string[];
  /** Name in the guest, from the guest agent. */
  interfaceName?: string;
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

export const MIGRATIONS: Kind<Migration> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  namespaced: true,
};

/** Finalizer of the VM controller, on VMs and their instances. */
export const VM_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize';
/** Finalizer of an instance: the guest must be stopped first. */
export const INSTANCE_FINALIZER = 'foregroundDeleteVirtualMachine';
/** Finalizer of a migration: it must end first. */
export const MIGRATION_FINALIZER = 'kubevirt.io/migrationJobFinalize';
/** Label of a migration: the name of its instance. */
export const MIGRATED_INSTANCE = 'kubevirt.io/vmi-name';
/** The grace period of an instance whose spec names none, seconds. */
export const DEFAULT_GRACE_PERIOD = 30;

/** Succeeded or Failed: the guest has ended and will not run again. */
export function isFinal(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed';
}

/** It is being deleted. */
export function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Its memory is being copied to another node. */
export function isMigrating({ status }: VirtualMachineInstance): boolean {
  const state = status?.migrationState;
  return state?.startTimestamp !== undefined && state.endTimestamp === undefined && state.completed !== true;
}
