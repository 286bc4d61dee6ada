import type { Kind, KubeObject } from '../object.ts';
import type { KubeVirtCondition, VirtualMachineInstanceSpec } from './virtual-machine.ts';

/** The part of KubeVirt's VirtualMachineInstance (kubevirt.io/v1), one life of a VM, that Groundcrew reads. */
export interface VirtualMachineInstance extends KubeObject {
  spec: VirtualMachineInstanceSpec;
  status?: VirtualMachineInstanceStatus;
}

/** `''`: not set yet. `Succeeded` and `Failed` are final. `Unknown`: its node does not answer. */
export type VirtualMachineInstancePhase =
  | ''
  | 'Pending'
  | 'Scheduling'
  | 'Scheduled'
  | 'Running'
  | 'Succeeded'
  | 'Failed'
  | 'WaitingForSync'
  | 'Unknown';

export interface VirtualMachineInstanceStatus {
  phase?: VirtualMachineInstancePhase;
  reason?: string;
  nodeName?: string;
  /** Of its latest migration. */
  migrationState?: { completed?: boolean; failed?: boolean };
  conditions?: KubeVirtCondition[];
  phaseTransitionTimestamps?: { phase: string; phaseTransitionTimestamp: string }[];
  interfaces?: VirtualMachineInstanceInterface[];
  guestOSInfo?: Record<string, string>;
  currentCPUTopology?: { cores?: number; sockets?: number; threads?: number };
  memory?: { guestCurrent?: string };
  volumeStatus?: VirtualMachineInstanceVolume[];
}

/** A volume on its way into the guest. One that was there when the guest started has no phase. */
export interface VirtualMachineInstanceVolume {
  name: string;
  /** `Ready`: the guest can read it. */
  phase?: string;
  /** Device that the guest has it as. */
  target?: string;
  /** Set where it was plugged in. */
  hotplugVolume?: object;
  persistentVolumeClaimInfo?: { capacity?: { storage?: string } };
  /** Bytes; of images that are files of the launcher's. */
  size?: number;
}

export interface VirtualMachineInstanceInterface {
  name?: string;
  mac?: string;
  ipAddress?: string;
  ipAddresses?: string[];
  interfaceName?: string;
  podInterfaceName?: string;
  infoSource?: string;
  /** `up` or `down`; not of all bindings. */
  linkState?: string;
}

export const VIRTUAL_MACHINE_INSTANCES: Kind<VirtualMachineInstance> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  namespaced: true,
};

/** KubeVirt's own; it wants none, but virtctl asks for it. */
export const CONSOLE_PROTOCOL = 'plain.kubevirt.io';

/** Where the API server has the WebSocket to the serial console of a running VM. */
export function consolePath(namespace: string, name: string): string {
  const [where, what] = [encodeURIComponent(namespace), encodeURIComponent(name)];
  return `/apis/subresources.kubevirt.io/v1/namespaces/${where}/virtualmachineinstances/${what}/console`;
}
