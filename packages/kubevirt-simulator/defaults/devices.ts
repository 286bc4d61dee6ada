import type { Disk, InstanceSpec } from '../kubevirt/objects.ts';

/** How an interface that a template does not name is bound: `defaultNetworkInterface` of KubeVirt's configuration, bridge where it names none. */
export type PodBinding = 'bridge' | 'masquerade';

/** The bus of a disk that names none (`setDefaultAmd64DisksBus`). */
const DEFAULT_BUS = 'sata';
const TARGETS = ['disk', 'cdrom', 'lun'] as const;

/** A guest with the devices that KubeVirt gives an instance, each with its bus. */
export function withDefaultDevices(spec: InstanceSpec, binding: PodBinding): InstanceSpec {
  const all = withImpliedDevices(spec, binding);
  const { devices } = all.domain;
  if (devices?.disks === undefined) return all;
  return { ...all, domain: { ...all.domain, devices: { ...devices, disks: devices.disks.map(withBus) } } };
}

/**
 * A guest with the devices that KubeVirt adds to those of its template: a disk for each volume without one (`SetDefaultVolumeDisk`), and
 * an interface on the pod network where it has neither interfaces nor networks (`SetDefaultNetworkInterface`).
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
