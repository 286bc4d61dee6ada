import type {
  RunStrategy,
  StateChangeRequest,
  VirtualMachine,
  VirtualMachineBMC,
  VirtualMachineInstance,
  VirtualMachineInstancePhase,
  VirtualMachineInstanceSpec,
} from '../../../api/index.ts';

export interface VmParts {
  strategy?: RunStrategy;
  queue?: StateChangeRequest[];
  annotations?: Record<string, string>;
  deleted?: boolean;
  uid?: string;
  guest?: VirtualMachineInstanceSpec;
}

/** A guest with a root disk that boots first, an empty CD-ROM drive and a network interface. */
export function aGuest(): VirtualMachineInstanceSpec {
  return {
    domain: {
      devices: {
        disks: [
          { name: 'root', bootOrder: 1, disk: { bus: 'virtio' } },
          { name: 'cd', cdrom: { bus: 'sata' } },
        ],
        interfaces: [{ name: 'default', masquerade: {} }],
      },
    },
    networks: [{ name: 'default', pod: {} }],
    volumes: [{ name: 'root' }],
  };
}

/** A guest with two volumes and no devices; KubeVirt adds them to the VMI. */
export function aBareGuest(): VirtualMachineInstanceSpec {
  return { domain: { devices: {} }, volumes: [{ name: 'root' }, { name: 'second' }] };
}

/** The VM `vms/a`; by default Manual and off. */
export function aVm(parts: VmParts = {}): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      namespace: 'vms',
      name: 'a',
      uid: parts.uid ?? 'vm-1',
      ...(parts.annotations === undefined ? {} : { annotations: parts.annotations }),
      ...(parts.deleted === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { runStrategy: parts.strategy ?? 'Manual', template: { spec: parts.guest ?? aGuest() } },
    status: parts.queue === undefined ? {} : { stateChangeRequests: parts.queue },
  };
}

export interface VmiParts {
  uid?: string;
  phase?: VirtualMachineInstancePhase;
  paused?: boolean;
  deleted?: boolean;
  graceSeconds?: number;
  guest?: VirtualMachineInstanceSpec;
}

/** The VMI `vms/a`; by default running. */
export function aVmi(parts: VmiParts = {}): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      namespace: 'vms',
      name: 'a',
      uid: parts.uid ?? 'vmi-1',
      ...(parts.deleted === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      ...(parts.guest ?? aGuest()),
      ...(parts.graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: parts.graceSeconds }),
    },
    status: {
      phase: parts.phase ?? 'Running',
      conditions: parts.paused === true ? [{ type: 'Paused', status: 'True' }] : [],
    },
  };
}

/** The BMC `vms/a-bmc` of the VM `vms/a`. */
export function aBmc(parts: Partial<Pick<VirtualMachineBMC, 'spec' | 'status'>> = {}): VirtualMachineBMC {
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { namespace: 'vms', name: 'a-bmc', uid: 'bmc-1', generation: 1 },
    spec: { virtualMachineRef: { name: 'a' } },
    ...parts,
  };
}
