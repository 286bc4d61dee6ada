import { parseQuantity } from '@groundcrew/controller-runtime';
import { networkKey } from '../networks/net-attach-def.ts';
import { networkNameOf } from '../kubevirt/defaults.ts';
import { isHotpluggable } from '../hotplug/index.ts';
import type { Disk, VirtualMachineInstance, Volume } from '../kubevirt/objects.ts';

/** The virtual hardware of a guest. */
export interface Machine {
  hostname: string;
  firmware: Firmware;
  cpus: number;
  /** MiB. */
  memory: number;
  drives: readonly Drive[];
  cards: readonly Card[];
  /** Boot devices in order. */
  bootDevices: readonly BootDevice[];
}

export interface Firmware {
  kind: 'bios' | 'uefi';
  uuid: string;
  /** Whether the firmware writes to the serial port; the booted system always does. */
  serial: boolean;
}

export interface Drive {
  kind: 'disk' | 'cdrom';
  /** Name in the guest: `vda`, `sr0`. */
  device: string;
  /** Name of the medium; undefined for an empty drive. */
  medium: string | undefined;
  /** Whether it can hold a system; cloud-init disks, for example, hold data. */
  bootable: boolean;
}

export interface Card {
  /** Name in the instance. */
  name: string;
  /** Name in the guest: `eth0`. */
  device: string;
  mac: string;
  /** The address in the instance's status. */
  address: string | undefined;
  /** `namespace/name` of its net-attach-def; undefined on the pod network. */
  network: string | undefined;
}

export type BootDevice = { kind: 'drive'; drive: Drive } | { kind: 'card'; card: Card };

/** The machine of an instance. */
export function machineOf(vmi: VirtualMachineInstance): Machine {
  const { domain, hostname } = vmi.spec;
  const { cores = 1, sockets = 1, threads = 1 } = domain.cpu ?? {};
  const { uuid = '', bootloader } = domain.firmware ?? {};
  const drives = drivesOf(vmi);
  const cards = cardsOf(vmi);
  return {
    hostname: hostname ?? vmi.metadata.name,
    firmware: {
      kind: bootloader?.efi === undefined ? 'bios' : 'uefi',
      uuid,
      serial: bootloader?.bios?.useSerial !== false,
    },
    cpus: cores * sockets * threads,
    memory: Math.floor((parseQuantity(domain.memory?.guest ?? '') ?? 2 ** 30) / 2 ** 20),
    drives: drives.map(({ drive }) => drive),
    cards: cards.map(({ card }) => card),
    bootDevices: bootDevicesOf(drives, cards),
  };
}

/** The drive of the booted system: the first bootable one. */
export function systemDriveOf({ bootDevices }: Machine): Drive | undefined {
  return bootDevices
    .flatMap((device) => (device.kind === 'drive' ? [device.drive] : []))
    .find((drive) => drive.bootable);
}

interface Ordered {
  bootOrder: number | undefined;
}

/** If any device has a boot order, devices without one are not tried; else disks come before CD-ROMs (libvirt, `boot dev`). */
function bootDevicesOf(
  drives: readonly (Ordered & { drive: Drive })[],
  cards: readonly (Ordered & { card: Card })[],
): BootDevice[] {
  const all: (Ordered & { device: BootDevice })[] = [
    ...drives.map(({ bootOrder, drive }) => ({ bootOrder, device: { kind: 'drive', drive } as const })),
    ...cards.map(({ bootOrder, card }) => ({ bootOrder, device: { kind: 'card', card } as const })),
  ];
  const ordered = all.filter(({ bootOrder }) => bootOrder !== undefined);
  if (ordered.length > 0) {
    return ordered.sort((a, b) => (a.bootOrder ?? 0) - (b.bootOrder ?? 0)).map(({ device }) => device);
  }
  const ofKind = (kind: Drive['kind']): BootDevice[] =>
    drives.flatMap(({ drive }) => (drive.kind === kind ? [{ kind: 'drive', drive }] : []));
  return [...ofKind('disk'), ...ofKind('cdrom')];
}

function drivesOf({ spec, status }: VirtualMachineInstance): (Ordered & { drive: Drive })[] {
  const counts = { vd: 0, sd: 0, sr: 0 };
  return (spec.domain.devices?.disks ?? []).map((disk) => {
    const kind = disk['cdrom'] === undefined ? 'disk' : 'cdrom';
    const family = kind === 'cdrom' ? 'sr' : busOf(disk) === 'virtio' ? 'vd' : 'sd';
    const index = counts[family]++;
    const volume = spec.volumes?.find((candidate) => candidate.name === disk.name && isIn(candidate, status));
    return {
      bootOrder: disk.bootOrder,
      drive: {
        kind,
        device: `${family}${family === 'sr' ? index : String.fromCharCode(97 + (index % 26))}`,
        medium: volume === undefined ? undefined : mediumOf(volume),
        bootable: volume !== undefined && !DATA.some((source) => volume[source] !== undefined),
      },
    };
  });
}

/** A hot-plugged medium is in its drive when its volume is Ready. */
function isIn(volume: Volume, status: VirtualMachineInstance['status']): boolean {
  if (!isHotpluggable(volume)) return true;
  return status?.volumeStatus?.some(({ name, phase }) => name === volume.name && phase === 'Ready') === true;
}

/** Volumes that hold no system. */
const DATA = [
  'cloudInitNoCloud',
  'cloudInitConfigDrive',
  'configMap',
  'downwardAPI',
  'downwardMetrics',
  'emptyDisk',
  'secret',
  'serviceAccount',
  'sysprep',
];

function busOf(disk: Disk): unknown {
  return (disk['disk'] as { bus?: unknown } | undefined)?.bus;
}

/** The name of the volume's image, claim or DataVolume. */
function mediumOf(volume: Volume): string {
  const { name, ...sources } = volume;
  for (const source of Object.values(sources)) {
    if (typeof source !== 'object' || source === null) continue;
    for (const field of ['image', 'claimName', 'name', 'path']) {
      const value: unknown = Reflect.get(source, field);
      if (typeof value === 'string') return value;
    }
  }
  return name;
}

function cardsOf({ metadata, spec, status }: VirtualMachineInstance): (Ordered & { card: Card })[] {
  return (spec.domain.devices?.interfaces ?? []).map(({ name, bootOrder, macAddress }, index) => {
    const seen = status?.interfaces?.find((entry) => entry.name === name);
    const attached = networkNameOf(spec.networks?.find((network) => network.name === name));
    const card = {
      name,
      device: `eth${index}`,
      mac: seen?.mac ?? macAddress ?? '',
      address: seen?.ipAddress,
      network: attached === undefined ? undefined : networkKey(attached, metadata.namespace ?? ''),
    };
    return { bootOrder, card };
  });
}
