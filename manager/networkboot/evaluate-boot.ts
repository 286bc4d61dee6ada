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

/** The machine that has a lease, as far as it is there. */
export interface BootInputs {
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
  /** Of the VM's BMC. */
  override: BootOverrideStatus | undefined;
  /** All that the VM has, of all its interfaces. */
  leases: readonly Pick<IPLease, 'spec' | 'status'>[];
}

/**
 * What a lease's `spec.boot` is to say. KubeVirt keeps a VMI's boot order when the guest reboots by itself, so a VMI that was
 * made while its VM was to boot from the network once would do so for ever: that VMI is named here, and the DHCP agents
 * give it boot files for one boot alone. All others follow their pool's `netboot`.
 *
 * It is evaluated from what is there and not from what happened: the override is taken from the BMC's status and from the
 * VM's template as soon as the VMI exists, and nobody is sure to see the moment between.
 *
 * A network boot by one interface is that of the machine: firmware that gets no boot file there any more tries its next
 * interface, so all of the VM's leases say that it has been. They keep saying so when the lease that had it is gone.
 *
 * What a boot over HTTP is to boot stands on the VMI. One that is for every boot names no VMI, and is never over, as long as the VM's template
 * says the same; from when that is restored the VMI has one network boot more, as any whose template lost it.
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

/** Whether an interface is the first device that is tried; without any order KubeVirt never tries one. */
function bootsFromNetwork({ domain: { devices } }: VirtualMachineInstanceSpec): boolean {
  return first(devices.interfaces) < first(devices.disks);
}

function first(devices: readonly { bootOrder?: number }[] = []): number {
  return Math.min(...devices.map(({ bootOrder }) => bootOrder ?? Infinity), Number.MAX_SAFE_INTEGER);
}
