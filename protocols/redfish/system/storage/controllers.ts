import type { Disk } from '../../../machine/index.ts';
import { WELL } from '../health.ts';
import type { Part } from '../part.ts';
import { protocolOf } from './drives.ts';

/** One controller for each bus with disks. */
export function controllersOf(disks: readonly Disk[]): Part[] {
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
