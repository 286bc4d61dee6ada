import { describe, expect, it } from 'vitest';
import type { Volume } from '../kubevirt/objects.ts';
import { aVmi, DRIVE, medium, vmiWith, vmWith } from '../testing/builders.ts';
import { hotplugPatch, planHotplug, type HotplugPlan } from './hotplug-plan.ts';

function namesOf(plan: HotplugPlan | undefined): unknown {
  return plan && [plan.volumes.map(({ name }) => name), plan.disks.map(({ name }) => name)];
}

const scratch: Volume = { name: 'scratch', dataVolume: { name: 'scratch', hotpluggable: true } };
const scratchDisk = { name: 'scratch', disk: { bus: 'scsi' } };

describe('a running instance', () => {
  it('is unchanged if it equals its VM', () => {
    expect(planHotplug(vmWith([]), vmiWith([]))).toBeUndefined();
    expect(planHotplug(vmWith([medium('iso')]), vmiWith([medium('iso')]))).toBeUndefined();
  });

  it('gets and loses a medium, and keeps the drive', () => {
    expect(namesOf(planHotplug(vmWith([medium('iso')]), vmiWith([])))).toEqual([
      ['root', 'cd'],
      ['root', 'cd'],
    ]);
    expect(namesOf(planHotplug(vmWith([]), vmiWith([medium('iso')])))).toEqual([['root'], ['root', 'cd']]);
  });

  it('gets another medium when the previous one is removed', () => {
    const vm = vmWith([medium('two')]);
    expect(namesOf(planHotplug(vm, vmiWith([medium('one')])))).toEqual([['root'], ['root', 'cd']]);
    const leaving = vmiWith([], [{ name: 'cd', target: '', phase: 'UnMountedFromPod', hotplugVolume: {} }]);
    expect(planHotplug(vm, leaving)).toBeUndefined();
    expect(planHotplug(vm, vmiWith([]))?.volumes).toContainEqual(medium('two'));
  });

  it('gets and loses a disk with its volume', () => {
    const withDisk = vmWith([scratch], [DRIVE, scratchDisk]);
    expect(namesOf(planHotplug(withDisk, vmiWith([])))).toEqual([
      ['root', 'scratch'],
      ['root', 'cd', 'scratch'],
    ]);
    const instance = vmiWith([scratch], [], [DRIVE, scratchDisk]);
    expect(namesOf(planHotplug(vmWith([]), instance))).toEqual([['root'], ['root', 'cd']]);
    // Its volume is another now: the disk comes back with it.
    const other = { ...scratch, dataVolume: { name: 'other', hotpluggable: true } };
    expect(namesOf(planHotplug(vmWith([other], [DRIVE, scratchDisk]), instance))).toEqual([['root'], ['root', 'cd']]);
  });

  it('keeps volumes that are not hot-pluggable', () => {
    const fixed = { name: 'cd', persistentVolumeClaim: { claimName: 'iso' } };
    expect(planHotplug(vmWith([fixed]), vmiWith([]))).toBeUndefined();
    expect(planHotplug(vmWith([]), vmiWith([fixed]))).toBeUndefined();
  });

  it('is changed by a patch with a test of the previous value', () => {
    const instance = vmiWith([]);
    const plan = planHotplug(vmWith([medium('iso')]), instance);
    expect(plan && hotplugPatch(instance, plan)).toEqual([
      { op: 'test', path: '/spec/volumes', value: instance.spec.volumes },
      { op: 'replace', path: '/spec/volumes', value: plan?.volumes },
      { op: 'test', path: '/spec/domain/devices/disks', value: instance.spec.domain.devices?.disks },
      { op: 'replace', path: '/spec/domain/devices/disks', value: plan?.disks },
    ]);
  });
});

it('an instance that does not run is not changed', () => {
  expect(planHotplug(vmWith([medium('iso')]), undefined)).toBeUndefined();
  expect(planHotplug(vmWith([medium('iso')]), aVmi('Scheduled'))).toBeUndefined();
});
