import type { Disk } from '../../../machine/index.ts';
import { CHASSIS, link } from '../../uris.ts';
import { WELL } from '../health.ts';
import type { Part } from '../part.ts';

/** Redfish names of buses; none exists for virtio and plain SCSI. */
const PROTOCOLS: Readonly<Record<string, string>> = { sata: 'SATA', usb: 'USB' };

export function drivesOf(disks: readonly Disk[]): Part[] {
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

export function protocolOf(bus: string): string | undefined {
  return PROTOCOLS[bus];
}
