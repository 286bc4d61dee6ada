import type { InstanceSpec } from '../kubevirt/objects.ts';
import type { Cause } from '../virt-api/index.ts';
import { DECLARATIVE_HOTPLUG } from './feature-gates.ts';

/**
 * What KubeVirt refuses in disks without a volume, found at `path`: any but a CD-ROM drive, and that too where the
 * gate is closed (`validateBootOrder`).
 */
export function validateDrives(path: string, spec: InstanceSpec, mayBeEmpty: boolean): Cause[] {
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name));
  return (spec.domain.devices?.disks ?? []).flatMap((disk, index): Cause[] => {
    if (volumes.has(disk.name)) return [];
    const place = `${path}.domain.devices.disks[${index}]`;
    const invalid = (message: string): Cause[] => [{ reason: 'FieldValueInvalid', message, field: `${place}.name` }];
    if (disk['cdrom'] === undefined) return invalid(`${place}.Name '${disk.name}' not found.`);
    return mayBeEmpty
      ? []
      : invalid(`${DECLARATIVE_HOTPLUG} feature gate not enabled, cannot define an empty CD-ROM disk`);
  });
}
