import type { Disk, Hardware } from '../../machine/index.ts';
import { collection, type Resource, type Route } from '../resource.ts';
import { CHASSIS, link } from '../uris.ts';
import { base, RedfishError } from '../messages.ts';
import { DRIVES, type Part, partRoutes, partUri, singleRoutes, STORAGE, WELL } from './part.ts';

/** All disks are in one Storage. */
export function storageRoutes(hardware: () => Hardware): Route[] {
  const disks = (): ReturnType<typeof fixedDisksOf> => fixedDisksOf(hardware());
  const storage: Resource = {
    type: 'Storage.v1_21_0.Storage',
    read: () => {
      const drives = disks().map(({ name }) => link(partUri(DRIVES, name)));
      return {
        Id: '1',
        Name: 'Disks',
        Controllers: link(`${STORAGE}/1/Controllers`),
        Drives: drives,
        'Drives@odata.count': drives.length,
        Volumes: link(`${STORAGE}/1/Volumes`),
        Status: WELL,
      };
    },
  };
  return [
    ...singleRoutes(STORAGE, 'StorageCollection', 'Storage', () => storage),
    ...partRoutes(`${STORAGE}/1/Controllers`, 'StorageControllerCollection', 'Storage controllers', () =>
      controllersOf(disks()),
    ),
    ...partRoutes(DRIVES, 'DriveCollection', 'Drives', () => drivesOf(disks())),
    { path: `${STORAGE}/1/Volumes`, find: () => volumes },
  ];
}

/** Disks without the virtual media drives. */
function fixedDisksOf({ disks }: Hardware): Disk[] {
  return disks.filter(({ kind }) => kind !== 'Cdrom');
}

/** One controller for each bus with disks. */
function controllersOf(disks: readonly Disk[]): Part[] {
  return [...new Set(disks.map(({ bus }) => bus ?? 'default'))].map((bus) => {
    const protocol = protocolOf(bus);
    return {
      id: bus,
      resource: {
        type: 'StorageController.v1_11_0.StorageController',
        read: () => ({
          Id: bus,
          Name: `Controller ${bus}`,
          SupportedDeviceProtocols: protocol === undefined ? [] : [protocol],
          SupportedRAIDTypes: [],
          Status: WELL,
        }),
      },
    };
  });
}

/** Redfish names of buses; none exists for virtio and plain SCSI. */
const PROTOCOLS: Readonly<Record<string, string>> = { sata: 'SATA', usb: 'USB' };

function drivesOf(disks: readonly Disk[]): Part[] {
  return disks.map(({ name, bus = '', capacityBytes, serial }) => ({
    id: name,
    resource: {
      type: 'Drive.v1_22_0.Drive',
      read: () => ({
        Id: name,
        Name: `Disk ${name}`,
        CapacityBytes: capacityBytes ?? null,
        // The medium behind the volume is not known.
        MediaType: null,
        Protocol: protocolOf(bus) ?? null,
        SerialNumber: serial ?? null,
        Status: WELL,
        Links: { Chassis: link(CHASSIS) },
      }),
    },
  }));
}

function protocolOf(bus: string): string | undefined {
  return PROTOCOLS[bus];
}

const none = collection('VolumeCollection', 'Volumes', () => []);

/** Always empty: no controller supports volumes. Ironic's profile requires the collection. */
const volumes: Resource = {
  ...none,
  read: async () => ({
    ...(await none.read()),
    '@Redfish.OperationApplyTimeSupport': {
      '@odata.type': '#Settings.v1_4_0.OperationApplyTimeSupport',
      SupportedValues: ['Immediate'],
    },
  }),
  create: {
    rules: { kind: 'object', properties: {}, isOpen: true },
    apply: () =>
      Promise.reject(
        new RedfishError(409, [
          {
            ...base('CreateLimitReachedForResource'),
            Resolution: 'Add disks to the virtual machine: it has no RAID controller.',
          },
        ]),
      ),
  },
};

/** A summary of the machine's disks, for clients that read SimpleStorage. */
export function simpleStorageOf(hardware: Hardware): Part[] {
  return [
    {
      id: '1',
      resource: {
        type: 'SimpleStorage.v1_3_2.SimpleStorage',
        read: () => ({
          Id: '1',
          Name: 'Disks',
          Devices: fixedDisksOf(hardware).map(({ name, capacityBytes }) => ({
            Name: name,
            Model: null,
            CapacityBytes: capacityBytes ?? null,
            Status: WELL,
          })),
          Status: WELL,
          Links: { Chassis: link(CHASSIS), Storage: link(`${STORAGE}/1`) },
        }),
      },
    },
  ];
}
