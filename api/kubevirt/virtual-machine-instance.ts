import { kindOf, type KubeObject } from '../object.ts';
import type { KubeVirtCondition, VirtualMachineInstanceSpec } from './virtual-machine.ts';

/** The part of KubeVirt's VirtualMachineInstance (kubevirt.io/v1), that Groundcrew reads. */
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
  /** State of the latest migration. */
  migrationState?: { completed?: boolean; failed?: boolean };
  conditions?: KubeVirtCondition[];
  phaseTransitionTimestamps?: { phase: string; phaseTransitionTimestamp: string }[];
  interfaces?: VirtualMachineInstanceInterface[];
  guestOSInfo?: Record<string, string>;
  currentCPUTopology?: { cores?: number; sockets?: number; threads?: number };
  memory?: { guestCurrent?: string };
  volumeStatus?: VirtualMachineInstanceVolume[];
  /** Image of the launcher, which contains the firmware. */
  launcherContainerImageVersion?: string;
}

/** Status of a volume. One that the guest was started with has no phase. */
export interface VirtualMachineInstanceVolume {
  name: string;
  /** `Ready`: the guest can read it. */
  phase?: string;
  /** Device name in the guest. */
  target?: string;
  /** Set for a hotplugged volume. */
  hotplugVolume?: object;
  persistentVolumeClaimInfo?: { capacity?: { storage?: string } };
  /** Bytes; for image files of the launcher. */
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
  /** `up` or `down`; not set for all bindings. */
  linkState?: string;
}

export const VIRTUAL_MACHINE_INSTANCES = kindOf<VirtualMachineInstance>('kubevirt.io/v1', 'VirtualMachineInstance');

/** KubeVirt's WebSocket subprotocol; not required, but virtctl sends it. */
export const CONSOLE_PROTOCOL = 'plain.kubevirt.io';

/** Subresources of a running VM: WebSockets of its serial console and of its screen (RFB), and a PNG of the screen. */
export type ConsoleSubresource = 'console' | 'vnc' | 'vnc/screenshot';

export function consolePath(namespace: string, name: string, subresource: ConsoleSubresource = 'console'): string {
  const [where, what] = [encodeURIComponent(namespace), encodeURIComponent(name)];
  return `/apis/subresources.kubevirt.io/v1/namespaces/${where}/virtualmachineinstances/${what}/${subresource}`;
}
