import { expect, it } from 'vitest';
import { DRIVE, medium, vmiWith } from './testing/builders.ts';
import { validateDrives } from './validate-drives.ts';

it('a disk has a volume; a drive may be empty where the gate is open', () => {
  const at = (vmi: ReturnType<typeof vmiWith>, open: boolean) =>
    validateDrives('spec', vmi.spec, open).map(({ message, field }) => `${field}: ${message}`);
  expect(at(vmiWith([medium('iso')]), false)).toEqual([]);
  expect(at(vmiWith([]), true)).toEqual([]);
  expect(at(vmiWith([]), false)).toEqual([
    'spec.domain.devices.disks[1].name: DeclarativeHotplugVolumes feature gate not enabled, cannot define an empty CD-ROM disk',
  ]);
  expect(at(vmiWith([], [], [DRIVE, { name: 'data', disk: {} }]), true)).toEqual([
    "spec.domain.devices.disks[2].name: spec.domain.devices.disks[2].Name 'data' not found.",
  ]);
});
