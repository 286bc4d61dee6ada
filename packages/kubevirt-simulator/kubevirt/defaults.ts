import { createHash } from 'node:crypto';
import type { Disk, InstanceSpec, VirtualMachine, InterfaceStatus, Network } from './objects.ts';

/**
 * Default architecture of VMs and VMIs: KubeVirt's `architectureConfiguration.defaultArchitecture` (KubeVirt v1.8
 * `SetVirtualMachineDefaults`, `SetDefaultVirtualMachineInstanceSpec`).
 */
export const DEFAULT_ARCHITECTURE = 'amd64';

/** Binding of the default interface: `defaultNetworkInterface` of KubeVirt's configuration, default bridge. */
export type PodBinding = 'bridge' | 'masquerade';

/** The bus of a disk that names none (`setDefaultAmd64DisksBus`). */
const DEFAULT_BUS = 'sata';
const TARGETS = ['disk', 'cdrom', 'lun'] as const;

/** A spec with KubeVirt's default devices and buses. */
export function withDefaultDevices(spec: InstanceSpec, binding: PodBinding): InstanceSpec {
  const all = withImpliedDevices(spec, binding);
  const { devices } = all.domain;
  if (devices?.disks === undefined) return all;
  return { ...all, domain: { ...all.domain, devices: { ...devices, disks: devices.disks.map(withBus) } } };
}

/**
 * A spec with KubeVirt's default devices: a disk for each volume without one (`SetDefaultVolumeDisk`), and an interface
 * on the pod network if it has neither interfaces nor networks (`SetDefaultNetworkInterface`).
 */
export function withImpliedDevices(spec: InstanceSpec, binding: PodBinding): InstanceSpec {
  const { devices = {} } = spec.domain;
  const { disks = [], filesystems = [], interfaces = [] } = devices;
  const named = new Set([...disks, ...filesystems].map(({ name }) => name));
  const missing = (spec.volumes ?? []).filter(({ name }) => !named.has(name)).map(({ name }) => ({ name }));
  const isConnected =
    devices.autoattachPodInterface === false || interfaces.length > 0 || (spec.networks ?? []).length > 0;
  return {
    ...spec,
    ...(isConnected ? {} : { networks: [{ name: 'default', pod: {} }] }),
    domain: {
      ...spec.domain,
      devices: {
        ...devices,
        ...(missing.length === 0 ? {} : { disks: [...disks, ...missing] }),
        ...(isConnected ? {} : { interfaces: [{ name: 'default', [binding]: {} }] }),
      },
    },
  };
}

function withBus(disk: Disk): Disk {
  const target = TARGETS.find((name) => disk[name] !== undefined) ?? 'disk';
  return { ...disk, [target]: { bus: DEFAULT_BUS, ...(disk[target] as object | undefined) } };
}

export type RandomBytes = (size: number) => Buffer;

/**
 * The firmware identity that KubeVirt sets at the creation of a VM (uuid since 1.6, serial since 1.7); undefined if the
 * template has both.
 */
export function firmwareFor(vm: VirtualMachine, random: RandomBytes): { uuid: string; serial: string } | undefined {
  const firmware = vm.spec.template?.spec.domain.firmware;
  if (firmware?.uuid !== undefined && firmware.serial !== undefined) return undefined;
  return { ...firmware, uuid: firmware?.uuid ?? uuid(random), serial: firmware?.serial ?? uuid(random) };
}

/** A version 4 UUID (RFC 9562 §5.4). */
function uuid(random: RandomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * The interfaces of an instance on its node: the MAC address of the template or a random one, and an address on the pod
 * network.
 */
export function interfacesOf(spec: InstanceSpec, random: RandomBytes): InterfaceStatus[] {
  return (spec.domain.devices?.interfaces ?? []).map(({ name, macAddress }) => {
    const network = spec.networks?.find((candidate) => candidate.name === name);
    const status = { infoSource: 'domain', linkState: 'up', mac: macAddress ?? madeUpMac(random), name };
    if (network?.pod === undefined) {
      return { ...status, infoSource: 'domain, multus-status', podInterfaceName: podInterfaceName(name) };
    }
    const ip = madeUpAddress(random);
    return { ...status, ipAddress: ip, ipAddresses: [ip], podInterfaceName: 'eth0' };
  });
}

/** The net-attach-def that a network of an instance is, with or without namespace; undefined for the pod network. */
export function networkNameOf(network: Network | undefined): string | undefined {
  return network?.multus?.networkName;
}

/** Name of a network's interface in the pod (`network/namescheme`, `HashedPodInterfaceName`). */
export function podInterfaceName(network: string): string {
  return `pod${createHash('sha256').update(network).digest('hex').slice(0, 11)}`;
}

/** With QEMU's prefix 52:54:00. */
function madeUpMac(random: RandomBytes): string {
  return [0x52, 0x54, 0x00, ...random(3)].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** In 10.88.0.0/16, the podman and CRI-O default; nothing on the machine answers there. */
function madeUpAddress(random: RandomBytes): string {
  const [third = 0, fourth = 0] = random(2);
  return `10.88.${third}.${1 + (fourth % 254)}`;
}
