import { parseQuantity } from '@groundcrew/controller-runtime';
import { networkKey } from '../networks/net-attach-def.ts';
import { networkNameOf } from '../kubevirt/defaults.ts';
import { isHotpluggable } from '../hotplug/index.ts';
import type { Disk, VirtualMachineInstance, Volume } from '../kubevirt/objects.ts';

/** A virtual machine as the software in it finds it. */
export interface Machine {
  hostname: string;
  firmware: Firmware;
  cpus: number;
  /** MiB. */
  memory: number;
  drives: readonly Drive[];
  cards: readonly Card[];
  /** What the firmware tries, in this order. */
  bootDevices: readonly BootDevice[];
}

export interface Firmware {
  kind: 'bios' | 'uefi';
  uuid: string;
  /** Whether the firmware itself writes to the serial port; the systems that it boots always do. */
  serial: boolean;
  /** Whether it waits for a key that leads to its menu: KubeVirt has what is started paused do so (`configureBootMenu`). */
  menu: boolean;
}

export interface Drive {
  kind: 'disk' | 'cdrom';
  /** As the system calls it: `vda`, `sr0`. */
  device: string;
  /** What is in it; undefined: an empty drive. */
  medium: string | undefined;
  /** Whether a system can be on it: cloud-init's disks and the like hold data. */
  bootable: boolean;
}

export interface Card {
  /** As the instance calls it. */
  name: string;
  /** As the system calls it: `eth0`. */
  device: string;
  mac: string;
  /** That it is known to have: on the pod network its own, elsewhere what a guest agent has told. */
  address: string | undefined;
  /** `namespace/name` of the net-attach-def that it is plugged into; undefined on the pod network. */
  network: string | undefined;
}

export type BootDevice = { kind: 'drive'; drive: Drive } | { kind: 'card'; card: Card };

/** The machine that an instance's spec and status describe. */
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
      menu: vmi.spec.startStrategy === 'Paused',
    },
    cpus: cores * sockets * threads,
    memory: Math.floor((parseQuantity(domain.memory?.guest ?? '') ?? 2 ** 30) / 2 ** 20),
    drives: drives.map(({ drive }) => drive),
    cards: cards.map(({ card }) => card),
    bootDevices: bootDevicesOf(drives, cards),
  };
}

/** Where the system that is booted is on: the first thing tried that holds one. */
export function systemDriveOf({ bootDevices }: Machine): Drive | undefined {
  return bootDevices
    .flatMap((device) => (device.kind === 'drive' ? [device.drive] : []))
    .find((drive) => drive.bootable);
}

interface Ordered {
  bootOrder: number | undefined;
}

/** Where anything has a boot order, what has none is not tried; else disks come before CD-ROMs (libvirt, `boot dev`). */
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

/** A medium that may come and go is in its drive once the node has attached it. */
function isIn(volume: Volume, status: VirtualMachineInstance['status']): boolean {
  if (!isHotpluggable(volume)) return true;
  return status?.volumeStatus?.some(({ name, phase }) => name === volume.name && phase === 'Ready') === true;
}

/** Volumes that KubeVirt makes itself, and no system is on. */
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

/** What a person calls the volume's content: an image, a claim, a DataVolume. */
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
