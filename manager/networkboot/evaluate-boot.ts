import {
  carriesHttpBoot,
  httpBootOf,
  type BootOverrideStatus,
  type HttpBoot,
  type IPLease,
  type IPLeaseSpec,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
} from '../../api/index.ts';

export type LeaseBootSpec = NonNullable<IPLeaseSpec['boot']>;

/** The VM with the lease, as far as it exists. */
export interface BootInputs {
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
  /** The override in the status of the VM's BMC. */
  override: BootOverrideStatus | undefined;
  /** All leases of the VM's interfaces. */
  leases: readonly Pick<IPLease, 'spec' | 'status'>[];
}

/**
 * The desired `spec.boot` of a lease. KubeVirt keeps a VMI's boot order when the guest reboots, so a VMI created for a
 * one-time network boot would repeat it on each reboot. The lease therefore names that VMI, and the DHCP agents give it
 * boot files for one boot only. All others follow their pool's `netboot`.
 *
 * The result depends on the current state only: the override is removed from the BMC's status and the VM's template as
 * soon as the VMI exists, and the state between may never be observed.
 *
 * A network boot on one interface counts for the whole VM: firmware without a boot file tries its next interface, so
 * all leases of the VM record the boot, even when the lease that had it is gone.
 *
 * The URI of an HTTP boot is on the VMI. A continuous boot names no VMI and never completes while the VM's template
 * says the same. Once the template is restored, the VMI has one network boot left.
 */
export function evaluateBoot({ vm, vmi, override, leases }: BootInputs): LeaseBootSpec | undefined {
  const uid = vmi?.metadata.uid;
  if (vmi === undefined || uid === undefined || !bootsFromNetwork(vmi.spec)) return undefined;
  const http = httpBootOf(vmi.metadata);
  const stays = http?.persistence === 'Continuous' && vm !== undefined && carriesHttpBoot(vmi.metadata, vm);
  if (stays) return bootOver(http);
  const isOverridden = override?.mode === 'Oneshot' && override.target === 'Pxe' && (override.vmiUID ?? '') !== uid;
  const isRestored = vm !== undefined && !bootsFromNetwork(vm.spec.template.spec);
  if (http === undefined && !isOverridden && !isRestored) return undefined;
  const hasBeen = leases.some(({ spec: { boot }, status }) => {
    return status?.bootConsumedUID === uid || (boot?.vmiUID === uid && boot.consumed === true);
  });
  return { vmiUID: uid, ...bootOver(http), ...(hasBeen ? { consumed: true } : {}) };
}

function bootOver(http: HttpBoot | undefined): LeaseBootSpec {
  if (http === undefined) return { mode: 'Pxe' };
  return { mode: 'UefiHttp', ...(http.uri === undefined ? {} : { uri: http.uri }) };
}

/** Whether an interface is first in the boot order; without any boot order KubeVirt never tries one. */
function bootsFromNetwork({ domain: { devices } }: VirtualMachineInstanceSpec): boolean {
  return first(devices.interfaces) < first(devices.disks);
}

function first(devices: readonly { bootOrder?: number }[] = []): number {
  return Math.min(...devices.map(({ bootOrder }) => bootOrder ?? Infinity), Number.MAX_SAFE_INTEGER);
}
