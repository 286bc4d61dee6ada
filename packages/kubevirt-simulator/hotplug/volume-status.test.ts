import { describe, expect, it } from 'vitest';
import type { VolumeStatus } from '../kubevirt/objects.ts';
import { aClaim, medium, vmiWith, volumesOf } from '../testing/builders.ts';
import { volumeStatusIn } from './volume-status.ts';

const bound = volumesOf({ claims: [aClaim('iso')] });

function cdAfter(old: VolumeStatus[], volumes = bound): VolumeStatus | undefined {
  return volumeStatusIn(vmiWith([medium('iso')], old), volumes).find(({ name }) => name === 'cd');
}

function textOf(status: VolumeStatus | undefined): string {
  return `${status?.phase ?? ''}/${status?.reason ?? ''}/${status?.message ?? ''}`;
}

describe('a hot-plugged volume', () => {
  it('waits for its claim', () => {
    expect(textOf(cdAfter([], volumesOf({})))).toBe('Pending/FailedPvcNotFound/PVC iso not found');
    const inPhase = (phase: 'Pending' | 'Lost' | 'Bound') =>
      textOf(cdAfter([], volumesOf({ claims: [aClaim('iso', phase)] })));
    expect(inPhase('Pending')).toBe('Pending/PVCNotReady/PVC is in phase ClaimPending');
    expect(inPhase('Lost')).toBe('Pending/PVCNotReady/PVC is in phase Lost');
    expect(inPhase('Bound')).toBe('Bound/PVCNotReady/PVC is in phase Bound');
  });

  it('is unmounted if it was attached', () => {
    const ready: VolumeStatus = { name: 'cd', phase: 'Ready', target: 'sda', hotplugVolume: {} };
    const unmounted = volumeStatusIn(vmiWith([], [ready]), bound).find(({ name }) => name === 'cd');
    expect(textOf(unmounted)).toBe(
      'UnMountedFromPod/VolumeUnMountedFromPod/Volume cd has been unmounted from virt-launcher pod',
    );
    expect(unmounted).toHaveProperty('target', '');
    const names = (old: VolumeStatus) => volumeStatusIn(vmiWith([], [old]), bound).map(({ name }) => name);
    expect(names(unmounted ?? ready)).toEqual(['root']);
    expect(names({ name: 'cd', target: '', phase: 'Pending', hotplugVolume: {} })).toEqual(['root']);
  });
});

it('other volumes have no phase, and a target when the guest runs', () => {
  const vmi = vmiWith([]);
  expect(volumeStatusIn(vmi, bound)).toEqual([{ name: 'root', target: 'vda' }]);
  const scheduled = { ...vmi, status: { ...vmi.status, phase: 'Scheduled' as const } };
  expect(volumeStatusIn(scheduled, bound)).toEqual([{ name: 'root', target: '' }]);
});
