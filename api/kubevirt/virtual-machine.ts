import type { Kind, KubeObject } from '../object.ts';

/** The part of KubeVirt's VirtualMachine (kubevirt.io/v1) that Groundcrew reads or patches. */
export interface VirtualMachine extends KubeObject {
  spec: VirtualMachineSpec;
  status?: VirtualMachineStatus;
}

export type RunStrategy = 'Always' | 'Halted' | 'Manual' | 'RerunOnFailure' | 'Once' | 'WaitAsReceiver';

/** Exactly one of `runStrategy` and the deprecated `running` is set. */
export interface VirtualMachineSpec {
  runStrategy?: RunStrategy;
  running?: boolean;
  /** What resources and devices come from in part; KubeVirt resolves them into the VMI alone. */
  instancetype?: { name?: string; kind?: string };
  preference?: { name?: string; kind?: string };
  /** Of the DataVolumes that KubeVirt makes for the VM. One of `pvc` and `storage` is set. */
  dataVolumeTemplates?: { metadata: { name: string }; spec?: { pvc?: ClaimRequest; storage?: ClaimRequest } }[];
  template: {
    metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> } | null;
    spec: VirtualMachineInstanceSpec;
  };
}

interface ClaimRequest {
  resources?: { requests?: { storage?: string } };
}

/** The guest as it is to be (a VM's template) or as it runs (a VMI). */
export interface VirtualMachineInstanceSpec {
  domain: Domain;
  /** Seconds that the guest is given to shut down; KubeVirt's default is 30. */
  terminationGracePeriodSeconds?: number;
  /** `amd64`, `arm64` or another; KubeVirt fills it in. */
  architecture?: string;
  networks?: Network[];
  volumes?: Volume[];
  startStrategy?: StartStrategy;
  /** KubeVirt neither pauses nor starts paused what has one. */
  livenessProbe?: object;
}

/** `Paused`: the guest is started with its processors held, and its firmware then shows its boot menu for 10 s. */
export type StartStrategy = 'Paused';

/** What is on a disk of the same name; sources that Groundcrew does not write are left out here. */
export interface Volume {
  name: string;
  dataVolume?: { name: string; hotpluggable?: boolean };
  persistentVolumeClaim?: { claimName: string; hotpluggable?: boolean };
  emptyDisk?: { capacity?: string };
}

export interface Domain {
  devices: {
    disks?: Disk[];
    interfaces?: Interface[];
    /** Volumes that the guest has as directories. */
    filesystems?: { name: string }[];
    /** False: a guest without interfaces and networks gets none. */
    autoattachPodInterface?: boolean;
    autoattachSerialConsole?: boolean;
  };
  features?: { smm?: { enabled?: boolean }; acpi?: { enabled?: boolean } };
  firmware?: Firmware;
  /** Each factor is 1 where it is absent. `model`: a libvirt name, `host-model` or `host-passthrough`. */
  cpu?: { cores?: number; sockets?: number; threads?: number; model?: string };
  /** What the guest sees; without it, it sees what the pod requests. */
  memory?: { guest?: string };
  resources?: { requests?: { memory?: string } };
  /** SMBIOS chassis. */
  chassis?: { asset?: string };
}

/** SMBIOS identity and boot loader; `uuid` and `serial` are filled in by KubeVirt when the VM is created. */
export interface Firmware {
  uuid?: string;
  serial?: string;
  bootloader?: Bootloader;
}

/** Neither set: BIOS. */
export interface Bootloader {
  bios?: { useSerial?: boolean };
  efi?: { secureBoot?: boolean; persistent?: boolean };
}

/** A disk without `cdrom` or `lun` is a plain disk. `bootOrder` is ≥ 1 and unique over disks and interfaces. */
export interface Disk {
  name: string;
  bootOrder?: number;
  serial?: string;
  disk?: { bus?: string; readonly?: boolean };
  /** Read-only unless it says otherwise. */
  cdrom?: { bus?: string; readonly?: boolean };
  lun?: { bus?: string; readonly?: boolean };
}

/** An interface without `bootOrder` is never booted from. */
export interface Interface {
  name: string;
  bootOrder?: number;
  macAddress?: string;
  model?: string;
  state?: 'up' | 'down' | 'absent';
  masquerade?: object;
  bridge?: object;
  sriov?: object;
  binding?: { name: string };
  /** What KubeVirt's own DHCP server tells the guest, on the pods' network. */
  dhcpOptions?: { bootFileName?: string };
}

export interface Network {
  name: string;
  pod?: object;
  multus?: { networkName: string; default?: boolean };
}

export interface VirtualMachineStatus {
  printableStatus?: string;
  created?: boolean;
  ready?: boolean;
  runStrategy?: RunStrategy;
  observedGeneration?: number;
  desiredGeneration?: number;
  /** What start, stop and restart have queued; virt-controller takes the first off. */
  stateChangeRequests?: StateChangeRequest[];
  startFailure?: { consecutiveFailCount?: number; retryAfterTimestamp?: string };
  conditions?: KubeVirtCondition[];
}

/** `uid` of a Stop names the VMI that is to stop. */
export interface StateChangeRequest {
  action: 'Start' | 'Stop';
  uid?: string;
  data?: Record<string, string>;
}

/** KubeVirt's conditions, unlike metav1's, may lack reason, message and times. */
export interface KubeVirtCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  lastProbeTime?: string | null;
}

export const VIRTUAL_MACHINES: Kind<VirtualMachine> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  namespaced: true,
};
