import type {
  BootOverrideStatus,
  IPLeaseSpec,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
} from '../../api/index.ts';

export type LeaseBootSpec = NonNullable<IPLeaseSpec['boot']>;

/** The machine that has a lease, as far as it is there. */
export interface BootFacts {
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
  /** Of the VM's BMC. */
  override: BootOverrideStatus | undefined;
}

/**
 * What a lease's `spec.boot` is to say. KubeVirt keeps a VMI's boot order when the guest reboots by itself, so a VMI that was
 * made while its VM was to boot from the network once would do so for ever: that VMI is named here, and the DHCP agents
 * give it boot files for one boot alone. All others follow their pool's `netboot`.
 *
 * It is judged from what is there and not from what happened: the override is taken from the BMC's status and from the
 * VM's template as soon as the VMI exists, and nobody is sure to see the moment between.
 */
export function judgeBoot({ vm, vmi, override }: BootFacts): LeaseBootSpec | undefined {
  const uid = vmi?.metadata.uid;
  if (vmi === undefined || uid === undefined || !bootsFromNetwork(vmi.spec)) return undefined;
  const isOverridden = override?.mode === 'Oneshot' && override.target === 'Pxe' && (override.vmiUID ?? '') !== uid;
  const isRestored = vm !== undefined && !bootsFromNetwork(vm.spec.template.spec);
  return isOverridden || isRestored ? { vmiUID: uid, mode: 'Pxe' } : undefined;
}

/** Whether an interface is the first device that is tried; without any order KubeVirt never tries one. */
function bootsFromNetwork({ domain: { devices } }: VirtualMachineInstanceSpec): boolean {
  return first(devices.interfaces) < first(devices.disks);
}

function first(devices: readonly { bootOrder?: number }[] = []): number {
  return Math.min(...devices.map(({ bootOrder }) => bootOrder ?? Infinity), Number.MAX_SAFE_INTEGER);
}
