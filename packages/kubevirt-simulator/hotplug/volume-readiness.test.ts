import { describe, expect, it } from 'vitest';
import type { Volumes } from './storage.ts';
import { aClaim, aDataVolume, medium, vmiWith, vmWith, volumesOf } from '../testing/builders.ts';
import {
  dataVolumesReady,
  readinessOf,
  startReadiness,
  storageStatusOf,
  unscheduledFor,
  withWaiting,
} from './volume-readiness.ts';

const disk = { name: 'data', dataVolume: { name: 'disk' } };

function filling(
  phase: NonNullable<Parameters<typeof aDataVolume>[1]>,
  conditions: Parameters<typeof aDataVolume>[2] = [],
): Volumes {
  return volumesOf({
    claims: [aClaim('disk', 'Bound', true)],
    dataVolumes: [aDataVolume('disk', phase, conditions)],
  });
}

describe('a volume', () => {
  it.each<[string, Volumes, string]>([
    ['has no claim yet', volumesOf({}), 'missing'],
    ['is being filled', filling('ImportInProgress'), 'waiting'],
    ['is full', filling('Succeeded'), 'ready'],
    ['could not be filled', filling('Failed'), 'failed'],
    ['is not filled by CDI', volumesOf({ claims: [aClaim('disk')] }), 'ready'],
    ['is not bound', volumesOf({ claims: [aClaim('disk', 'Pending')] }), 'waiting'],
    ['belongs to a DataVolume that does not exist', volumesOf({ claims: [aClaim('disk', 'Bound', true)] }), 'waiting'],
  ])('that %s', (_what, volumes, state) => {
    expect(readinessOf(disk, 'vms', volumes).state).toBe(state);
  });

  it('without a claim is ready', () => {
    expect(readinessOf({ name: 'x', containerDisk: { image: 'i' } }, 'vms', volumesOf({}))).toEqual({ state: 'ready' });
  });

  it('delays the start unless it is hot-pluggable', () => {
    expect(startReadiness(vmiWith([disk]), volumesOf({}))).toEqual([{ state: 'missing', name: 'disk' }]);
    expect(startReadiness(vmiWith([medium('iso')]), volumesOf({}))).toEqual([]);
  });
});

describe('a VM’s status', () => {
  const statusIn = (volumes: Volumes) => storageStatusOf(vmWith([disk]), true, volumes);

  it('shows the state of its DataVolumes', () => {
    expect(statusIn(filling('Succeeded'))).toEqual({});
    expect(statusIn(filling('ImportInProgress'))).toEqual({ progress: 'Provisioning' });
    expect(statusIn(filling('ImportInProgress', [['Running', 'False', 'Error']]))).toEqual({
      error: 'DataVolumeError',
      progress: 'Provisioning',
    });
    expect(statusIn(filling('Failed'))).toMatchObject({ error: 'DataVolumeError' });
    expect(statusIn(volumesOf({}))).toEqual({});
  });
});

describe('an instance that waits for volumes', () => {
  const vmi = vmiWith([disk]);

  it('names them in conditions', () => {
    const missing = startReadiness(vmi, volumesOf({}));
    const message = 'PVC vms/disk does not exist, waiting for it to appear';
    expect(unscheduledFor(vmi, missing)).toMatchObject({ type: 'PodScheduled', reason: 'Unschedulable', message });
    const conditions = withWaiting([], vmi, missing, 0);
    expect(conditions).toMatchObject([{ type: 'Synchronized', status: 'False', reason: 'FailedPvcNotFound', message }]);
    expect(withWaiting(conditions, vmi, [], 0)).toEqual([]);
  });

  it('summarizes its DataVolumes', () => {
    const ready = (...states: ('True' | 'False' | '')[]) =>
      dataVolumesReady(states.map((state) => aDataVolume('d', undefined, state === '' ? [] : [['Ready', state]])));
    expect(ready()).toBeUndefined();
    expect(ready('True')).toMatchObject({ status: 'True', reason: 'AllDVsReady' });
    expect(ready('True', '')).toMatchObject({ status: 'Unknown', reason: 'NotAllDVsReady' });
    expect(ready('', 'False')).toMatchObject({ status: 'False', message: "Not all of the VMI's DVs are ready" });
  });
});
