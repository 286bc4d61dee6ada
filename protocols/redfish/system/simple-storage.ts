import type { Hardware } from '../../machine/index.ts';
import { CHASSIS, link } from '../uris.ts';
import { WELL } from './health.ts';
import type { Part } from './part.ts';
import { STORAGE } from './paths.ts';
import { fixedDisksOf } from './storage/index.ts';

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
