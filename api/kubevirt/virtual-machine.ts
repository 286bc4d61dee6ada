import { kindOf, type KubeObject } from '../object.ts';

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
  /** Further sources of resources and devices; KubeVirt applies them only to the VMI. */
  instancetype?: { name?: string; kind?: string };
  preference?: { name?: string; kind?: string };
  /** DataVolumes that KubeVirt creates for the VM. One of `pvc` and `storage` is set. */
  dataVolumeTemplates?: { metadata: { name: string }; spec?: { pvc?: ClaimRequest; storage?: ClaimRequest } }[];
  template: {
    metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> } | null;
    spec: VirtualMachineInstanceSpec;
  };
}

interface ClaimRequest {
  resources?: { requests?: { storage?: string } };
}

/** The guest in a VM's template or in a VMI. */
export interface VirtualMachineInstanceSpec {
  domain: Domain;
  /** Seconds that the guest has to shut down; KubeVirt's default is 30. */
  terminationGracePeriodSeconds?: number;
  /** `amd64`, `arm64` or another; KubeVirt fills it in. */
  architecture?: string;
  networks?: Network[];
  volumes?: Volume[];
  startStrategy?: StartStrategy;
  /** With a probe, KubeVirt neither pauses the guest nor starts it paused. */
  livenessProbe?: object;
}

/** `Paused`: the guest is started paused, and its firmware then shows its boot menu for 10 s. */
export type StartStrategy = 'Paused';

/** The content of the disk of the same name; without the sources that Groundcrew does not write. */
export interface Volume {
  name: string;
  dataVolume?: { name: string; hotpluggable?: boolean };
  persistentVolumeClaim?: { claimName: string; hotpluggable?: boolean };
  containerDisk?: { image?: string; path?: string; imagePullSecret?: string };
  emptyDisk?: { capacity?: string };
}

export interface Domain {
  devices: {
    disks?: Disk[];
    interfaces?: Interface[];
    /** Volumes that are shared as directories. */
    filesystems?: { name: string }[];
    /** False: KubeVirt adds no interface. */
    autoattachPodInterface?: boolean;
    autoattachSerialConsole?: boolean;
    autoattachGraphicsDevice?: boolean;
    /** A TPM 2.0. `enabled: false` disables the one of a preference. */
    tpm?: { enabled?: boolean; persistent?: boolean };
    /** Default action: reset. */
    watchdog?: { i6300esb?: WatchdogDevice; diag288?: WatchdogDevice };
  };
  features?: { smm?: { enabled?: boolean }; acpi?: { enabled?: boolean } };
  firmware?: Firmware;
  /** Each factor defaults to 1. `model`: a libvirt name, `host-model` or `host-passthrough`. */
  cpu?: { cores?: number; sockets?: number; threads?: number; model?: string };
  /** Memory of the guest; default: the memory that the pod requests. */
  memory?: { guest?: string };
  resources?: { requests?: { memory?: string } };
  /** SMBIOS chassis. */
  chassis?: { asset?: string };
}

interface WatchdogDevice {
  action?: 'poweroff' | 'reset' | 'shutdown';
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
  /** Read-only by default. */
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
  /** Options of KubeVirt's own DHCP server on the pod network. */
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
  /** Requests queued by start, stop and restart; virt-controller removes the first. */
  stateChangeRequests?: StateChangeRequest[];
  startFailure?: { consecutiveFailCount?: number; retryAfterTimestamp?: string };
  conditions?: KubeVirtCondition[];
}

/** `uid` of a Stop is that of the VMI to stop. */
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

export const VIRTUAL_MACHINES = kindOf<VirtualMachine>('kubevirt.io/v1', 'VirtualMachine');
