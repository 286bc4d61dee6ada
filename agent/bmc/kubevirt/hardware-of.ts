import {
  type BMCNetworkInterface,
  canonicalMac,
  firmwareOf,
  type Interface,
  secureBootOf,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
  withImpliedDevices,
} from '../../../api/index.ts';
import { parseQuantity } from '@groundcrew/controller-runtime';
import type { Hardware, InterfaceNetwork } from '../../../protocols/machine/index.ts';
import type { MachinePair } from './machine-objects.ts';
import type { SystemSmbios } from './system-smbios.ts';

/** KubeVirt's own SMBIOS defaults. The product is not a model. */
const MANUFACTURER = 'KubeVirt';
const NO_PRODUCT = 'None';
/** GOARCH of the node. */
const ARCHITECTURES: Partial<Record<string, Hardware['architecture']>> = { amd64: 'x86-64', arm64: 'arm64' };
/** KubeVirt's own default. */
const NIC_MODEL = 'virtio';
/** Annotations that KubeVirt gives a VMI whose VM has an instance type. */
const INSTANCETYPE_ANNOTATIONS = ['kubevirt.io/instancetype-name', 'kubevirt.io/cluster-instancetype-name'];

export interface HardwareSources extends MachinePair {
  /** What KubeVirt writes into the SMBIOS of all VMs; undefined: not known. */
  smbios?: SystemSmbios | undefined;
  /** The last VMI. While the machine is off, only it has the sizes of volumes that the VM does not define. */
  lastVmi?: VirtualMachineInstance | undefined;
  /** The interfaces on networks of IPPools, from the status of the BMC. */
  leased?: readonly BMCNetworkInterface[] | undefined;
}

/** A VMI with what hardware and sensors need of the last one, a small part. */
export function lastVmiOf({
  apiVersion,
  kind,
  metadata,
  spec,
  status,
}: VirtualMachineInstance): VirtualMachineInstance {
  const { cpu, memory, resources } = spec.domain;
  const { currentCPUTopology, memory: current, volumeStatus } = status ?? {};
  return {
    ...{ apiVersion, kind, metadata: { name: metadata.name } },
    spec: { domain: { devices: {}, ...present({ cpu, memory, resources }) } },
    status: present({ currentCPUTopology, memory: current, volumeStatus }),
  };
}

/** The hardware of a VM. Prefers the VMI, which has instance type and preference resolved; falls back to the template. */
export function hardwareOf({ vm, vmi, smbios, lastVmi, leased }: HardwareSources): Hardware {
  const guest = vmi?.spec ?? (vm && withImpliedDevices(vm.spec.template.spec));
  const { serial } = { ...vmi?.spec.domain.firmware, ...vm?.spec.template.spec.domain.firmware };
  return present({
    manufacturer: smbios?.manufacturer ?? MANUFACTURER,
    model: modelOf(vm, vmi, smbios),
    sku: smbios?.sku,
    serial,
    assetTag: guest?.domain.chassis?.asset,
    createdAt: timeOf((vm ?? vmi)?.metadata.creationTimestamp),
    cpuCount: cpuCountOf({ vm, vmi }),
    cpuModel: guest?.domain.cpu?.model,
    memoryBytes: memoryBytesOf({ vm, vmi }),
    firmware: firmwareIn(vm, vmi),
    firmwareVersion: firmwareVersionOf(vmi),
    operatingSystem: operatingSystemOf(vmi),
    architecture: ARCHITECTURES[guest?.architecture ?? ''],
    topology: topologyOf({ vm, vmi }),
    secureBoot: secureBootIn(vm, vmi),
    ...devicesOf(guest),
    networkInterfaces: guest ? interfacesOf(guest, vm, vmi, leased) : [],
    disks: guest ? disksOf(guest, vm, vmi ?? lastVmi) : [],
  });
}

/** vCPUs of the guest; undefined if an instance type will define them. */
export function cpuCountOf({ vm, vmi }: MachinePair): number | undefined {
  const topology = topologyOf({ vm, vmi });
  return topology && topology.cores * topology.sockets * topology.threads;
}

function topologyOf({ vm, vmi }: MachinePair): Hardware['topology'] {
  const topology = vmi?.status?.currentCPUTopology ?? (vmi?.spec ?? vm?.spec.template.spec)?.domain.cpu;
  if (topology === undefined) return undefined;
  const { cores, sockets, threads } = topology;
  if (cores === undefined && sockets === undefined && threads === undefined) return undefined;
  return { sockets: sockets ?? 1, cores: cores ?? 1, threads: threads ?? 1 };
}

/** Memory of the guest in bytes; undefined if an instance type will define it. */
export function memoryBytesOf({ vm, vmi }: MachinePair): number | undefined {
  const domain = (vmi?.spec ?? vm?.spec.template.spec)?.domain;
  return parseQuantity(
    vmi?.status?.memory?.guestCurrent ?? domain?.memory?.guest ?? domain?.resources?.requests?.memory,
  );
}

function modelOf(
  vm: VirtualMachine | undefined,
  vmi: VirtualMachineInstance | undefined,
  smbios: SystemSmbios | undefined,
): string | undefined {
  const annotations = vmi?.metadata.annotations ?? {};
  const instancetype =
    INSTANCETYPE_ANNOTATIONS.map((key) => annotations[key]).find(Boolean) ?? vm?.spec.instancetype?.name;
  return instancetype ?? (smbios?.product === NO_PRODUCT ? undefined : smbios?.product);
}

/** A preference may set a firmware that the template does not. */
function firmwareIn(vm: VirtualMachine | undefined, vmi: VirtualMachineInstance | undefined): Hardware['firmware'] {
  if (vmi !== undefined) return firmwareOf(vmi.spec.domain);
  const domain = vm?.spec.template.spec.domain;
  if (domain === undefined) return undefined;
  const isOpen = vm?.spec.preference !== undefined && domain.firmware?.bootloader === undefined;
  return isOpen ? undefined : firmwareOf(domain);
}

function secureBootIn(vm: VirtualMachine | undefined, vmi: VirtualMachineInstance | undefined): boolean | undefined {
  return secureBootOf((vmi?.spec ?? vm?.spec.template.spec)?.domain.firmware?.bootloader);
}

/** The firmware is a file of the launcher's image, so the version of the image is its version: `virt-launcher:v1.8.4`. */
function firmwareVersionOf(vmi: VirtualMachineInstance | undefined): string | undefined {
  return vmi?.status?.launcherContainerImageVersion?.split('/').at(-1);
}

function devicesOf(guest: VirtualMachineInstanceSpec | undefined): Pick<Hardware, 'hasTpm' | 'watchdog'> {
  const { tpm, watchdog } = guest?.domain.devices ?? {};
  const { i6300esb, diag288 } = watchdog ?? {};
  const device = i6300esb ?? diag288;
  return {
    ...(tpm !== undefined && { hasTpm: tpm.enabled !== false }),
    ...(device !== undefined && { watchdog: (device.action ?? 'reset') === 'reset' ? 'Reset' : 'PowerDown' }),
  };
}

function operatingSystemOf(vmi: VirtualMachineInstance | undefined): Hardware['operatingSystem'] {
  const { name, version, versionId } = vmi?.status?.guestOSInfo ?? {};
  return name === undefined ? undefined : present({ name, version: version ?? versionId });
}

function interfacesOf(
  guest: VirtualMachineInstanceSpec,
  vm: VirtualMachine | undefined,
  vmi: VirtualMachineInstance | undefined,
  leased: readonly BMCNetworkInterface[] = [],
): Hardware['networkInterfaces'] {
  return (guest.domain.devices.interfaces ?? []).map((nic) => {
    const { name, macAddress } = nic;
    const seen = vmi?.status?.interfaces?.find((status) => status.name === name);
    const addresses = seen?.ipAddresses ?? (seen?.ipAddress === undefined ? [] : [seen.ipAddress]);
    const dhcp = networkOf(leaseOf(name, seen?.mac ?? macAddress, leased));
    // Only a guest agent reports the addresses on other networks than the pod network.
    const isUnreported = addresses.length === 0 && vmi !== undefined && dhcp !== undefined;
    return present({
      name,
      macAddress: seen?.mac ?? macAddress,
      ipAddresses: isUnreported ? [dhcp.address] : addresses,
      model: nicModelOf(nic, vm, vmi),
      isLinkUp: isLinkUp(seen?.linkState),
      dhcp,
    });
  });
}

/** By its MAC address, because an interface may be renamed after its lease was made; by its name only if that is not known. */
function leaseOf(
  name: string,
  mac: string | undefined,
  leased: readonly BMCNetworkInterface[],
): BMCNetworkInterface | undefined {
  const known = mac === undefined ? undefined : canonicalMac(mac);
  if (known === undefined) return leased.find((lease) => lease.name === name);
  // Managers before this version do not tell the MAC address.
  const same = leased.filter(({ macAddress = known }) => macAddress === known);
  return same.find((lease) => lease.name === name) ?? same.find(({ macAddress }) => macAddress === known);
}

function networkOf(lease: BMCNetworkInterface | undefined): InterfaceNetwork | undefined {
  const { ipAddress: address, prefixLength, gateway, nameServers = [], vlan } = lease ?? {};
  if (address === undefined || prefixLength === undefined) return undefined;
  return present({ address, prefixLength, gateway, nameServers, vlan });
}

/** A passed-through card (SR-IOV) has its own model. A preference may set another until KubeVirt has resolved it. */
function nicModelOf(
  { model, sriov }: Interface,
  vm: VirtualMachine | undefined,
  vmi: VirtualMachineInstance | undefined,
): string | undefined {
  if (sriov !== undefined) return undefined;
  const isOpen = vmi === undefined && vm?.spec.preference !== undefined;
  return model ?? (isOpen ? undefined : NIC_MODEL);
}

/** KubeVirt reports it for running guests, and not for all bindings. */
function isLinkUp(linkState: string | undefined): boolean | undefined {
  if (linkState === 'up') return true;
  return linkState === 'down' ? false : undefined;
}

function timeOf(timestamp: string | undefined): number | undefined {
  const time = timestamp === undefined ? NaN : Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}

const DISK = 'Disk';

/** @param guest the running guest, or the one to be started @param vmi the VMI, or the last one */
function disksOf(
  guest: VirtualMachineInstanceSpec,
  vm: VirtualMachine | undefined,
  vmi: VirtualMachineInstance | undefined,
): Hardware['disks'] {
  return (guest.domain.devices.disks ?? []).map(({ name, serial, cdrom, lun, disk }) => {
    const [kind, target] =
      cdrom !== undefined
        ? (['Cdrom', cdrom] as const)
        : lun !== undefined
          ? (['Lun', lun] as const)
          : ([DISK, disk] as const);
    return present({
      name,
      kind,
      bus: target?.bus,
      capacityBytes: capacityIn(vmi, name) ?? capacityAskedFor(guest, vm, name),
      serial,
      isReadOnly: target?.readonly ?? kind === 'Cdrom',
    });
  });
}

/** The capacity found by KubeVirt when the guest was started. */
function capacityIn(vmi: VirtualMachineInstance | undefined, name: string): number | undefined {
  const volume = vmi?.status?.volumeStatus?.find((status) => status.name === name);
  return parseQuantity(volume?.persistentVolumeClaimInfo?.capacity?.storage) ?? volume?.size;
}

/** The capacity that the VM itself requests; unknown for existing claims. */
function capacityAskedFor(
  { volumes = [] }: VirtualMachineInstanceSpec,
  vm: VirtualMachine | undefined,
  name: string,
): number | undefined {
  const volume = volumes.find((other) => other.name === name);
  const dataVolume = volume?.dataVolume?.name ?? volume?.persistentVolumeClaim?.claimName;
  const { pvc, storage } =
    vm?.spec.dataVolumeTemplates?.find(({ metadata }) => metadata.name === dataVolume)?.spec ?? {};
  return parseQuantity(volume?.emptyDisk?.capacity ?? (storage ?? pvc)?.resources?.requests?.storage);
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without the fields that are undefined. */
function present<T extends object>(fields: T): Present<T> {
  // Object.entries loses the types of the fields.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
